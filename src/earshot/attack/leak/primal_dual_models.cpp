#include "earshot/attack/leak/primal_dual_models.hpp"

#include <deque>
#include <vector>

#include "earshot/graph/edge_sign.hpp"

namespace earshot {
namespace {

using Eigen::VectorXd;

/// The mean over the neighbours for which there is an answer, or the first one.
template <class OfNeighbour>
std::optional<VectorXd> over_links(const PrimalDualTranscript& transcript, NodeId node, Links links,
                                   const OfNeighbour& of_neighbour) {
  VectorXd sum = VectorXd::Zero(transcript.size());
  double count = 0;
  for (const NodeId neighbour : transcript.network().neighbours(node)) {
    const std::optional<VectorXd> one = of_neighbour(neighbour);
    if (!one) continue;
    if (links == Links::kOne) return one;
    sum += *one;
    ++count;
  }
  if (count == 0) return {};
  return sum / count;
}

/// What the node's step in exchange `at` added to z_{neighbour|node}.
std::optional<VectorXd> added(const PrimalDualTranscript& transcript, NodeId node, NodeId neighbour,
                              Round at) {
  return transcript.change(neighbour, node, at, at + 1);
}

bool has_step(const PrimalDualTranscript& transcript, NodeId node, std::size_t step) {
  return step < transcript.steps(node).size();
}

/// A node whose model is known, and w of the node asked for less its model, found breadth first.
struct Reached {
  NodeId node = 0;
  std::size_t step = 0;
  VectorXd gap;
};

}  // namespace

std::optional<VectorXd> model_change(const PrimalDualTranscript& transcript, NodeId node,
                                     std::size_t from_step, std::size_t to_step, Links links) {
  if (!has_step(transcript, node, from_step) || !has_step(transcript, node, to_step)) return {};
  const Round from = transcript.steps(node)[from_step], to = transcript.steps(node)[to_step];
  const double theta = transcript.facts().theta;
  return over_links(transcript, node, links, [&](NodeId neighbour) -> std::optional<VectorXd> {
    const auto made = transcript.change(neighbour, node, from + 1, to + 1);
    const auto before = transcript.change(neighbour, node, from, to);
    const auto held = transcript.change(node, neighbour, from, to);
    if (!made || !before || !held) return {};
    const double pull = 2 * transcript.facts().rho * theta * edge_sign(node, neighbour);
    return (*made - (1 - theta) * *before - theta * *held) / pull;
  });
}

std::optional<VectorXd> model_at_known_link(const PrimalDualTranscript& transcript, NodeId node,
                                            std::size_t step, Links links) {
  if (!has_step(transcript, node, step)) return {};
  const Round at = transcript.steps(node)[step];
  return over_links(transcript, node, links, [&](NodeId neighbour) -> std::optional<VectorXd> {
    const auto message = added(transcript, node, neighbour, at);
    const auto made = transcript.value(neighbour, node, at);
    const auto held = transcript.value(node, neighbour, at);
    if (!message || !made || !held) return {};
    const double pull = 2 * transcript.facts().rho * edge_sign(node, neighbour);
    return (*message / transcript.facts().theta + *made - *held) / pull;
  });
}

std::optional<VectorXd> model_gap(const PrimalDualTranscript& transcript, NodeId node, std::size_t step,
                                  NodeId neighbour, std::size_t neighbour_step) {
  if (!has_step(transcript, node, step) || !has_step(transcript, neighbour, neighbour_step)) return {};
  const Round here = transcript.steps(node)[step], there = transcript.steps(neighbour)[neighbour_step];
  const auto mine = added(transcript, node, neighbour, here);
  const auto theirs = added(transcript, neighbour, node, there);
  const auto held = transcript.change(node, neighbour, there, here);
  const auto made = transcript.change(neighbour, node, there, here);
  if (!mine || !theirs || !held || !made) return {};
  const double pull = 2 * transcript.facts().rho * edge_sign(node, neighbour);
  return ((*mine + *theirs) / transcript.facts().theta - *held + *made) / pull;
}

std::optional<VectorXd> model_along_links(const PrimalDualTranscript& transcript, NodeId node,
                                          std::size_t step, Links links) {
  if (!has_step(transcript, node, step)) return {};
  std::vector<char> seen(transcript.network().node_count(), 0);
  std::deque<Reached> queue;
  queue.push_back({node, step, VectorXd::Zero(transcript.size())});
  seen[node] = 1;
  for (; !queue.empty(); queue.pop_front()) {
    const Reached& here = queue.front();
    if (const auto known = model_at_known_link(transcript, here.node, here.step, links))
      return *known + here.gap;
    for (const NodeId next : transcript.network().neighbours(here.node)) {
      if (seen[next] != 0) continue;
      const auto their_step = transcript.step_at(next, transcript.steps(here.node)[here.step]);
      if (!their_step) continue;
      const auto gap = model_gap(transcript, here.node, here.step, next, *their_step);
      if (!gap) continue;
      seen[next] = 1;
      queue.push_back({next, *their_step, here.gap + *gap});
    }
  }
  return {};
}

std::optional<VectorXd> model_from_the_end(const PrimalDualTranscript& transcript, NodeId node,
                                           std::size_t step, Links links) {
  for (const NodeId member : transcript.members()) {
    const std::size_t made = transcript.steps(member).size(), own = transcript.steps(node).size();
    if (made == 0 || step >= own) continue;
    const auto last = model_at_known_link(transcript, member, made - 1, links);
    const auto since = model_change(transcript, node, step, own - 1, links);
    if (last && since) return *last - *since;
  }
  return {};
}

}  // namespace earshot
