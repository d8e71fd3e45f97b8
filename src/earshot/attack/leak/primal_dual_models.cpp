#include "earshot/attack/leak/primal_dual_models.hpp"

#include <algorithm>
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

/// Whether z on both directions of the link is known when the node works, and what it says then.
bool knows_link(const PrimalDualTranscript& transcript, NodeId node, NodeId neighbour, Round at) {
  return transcript.knows_change(neighbour, node, at, at + 1) &&
         transcript.knows_value(neighbour, node, at) && transcript.knows_value(node, neighbour, at);
}

bool knows_model(const PrimalDualTranscript& transcript, NodeId node, std::size_t step) {
  const Round at = transcript.steps(node)[step];
  return std::ranges::any_of(transcript.network().neighbours(node),
                             [&](NodeId neighbour) { return knows_link(transcript, node, neighbour, at); });
}

bool knows_gap(const PrimalDualTranscript& transcript, NodeId node, Round here, NodeId neighbour,
               Round there) {
  return transcript.knows_change(neighbour, node, here, here + 1) &&
         transcript.knows_change(node, neighbour, there, there + 1) &&
         transcript.knows_change(node, neighbour, there, here) &&
         transcript.knows_change(neighbour, node, there, here);
}

/// A step of a node, reached breadth first from another.
struct Reached {
  NodeId node = 0;
  std::size_t step = 0;
  std::size_t from = 0;  // which of those reached before
};

/// The shortest path of heard links from a node to one whose model is known; empty when there is none. Which
/// one it is depends on what is known, not on what was said, and not on links it does not use: of the
/// shortest paths it is the first in the order of neighbours.
std::vector<Reached> path_to_known_model(const PrimalDualTranscript& transcript, NodeId node,
                                         std::size_t step) {
  std::vector<char> seen(transcript.network().node_count(), 0);
  std::vector<Reached> all{{node, step, 0}};
  seen[node] = 1;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Reached here = all[i];
    if (knows_model(transcript, here.node, here.step)) {
      std::vector<Reached> path{here};
      for (std::size_t at = i; at != 0; path.push_back(all[at])) at = all[at].from;
      std::ranges::reverse(path);
      return path;
    }
    const Round now = transcript.steps(here.node)[here.step];
    for (const NodeId next : transcript.network().neighbours(here.node)) {
      const auto their_step = seen[next] == 0 ? transcript.step_at(next, now) : std::nullopt;
      if (!their_step || !knows_gap(transcript, here.node, now, next, transcript.steps(next)[*their_step]))
        continue;
      seen[next] = 1;
      all.push_back({next, *their_step, i});
    }
  }
  return {};
}

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
    if (!knows_link(transcript, node, neighbour, at)) return {};
    const auto message = added(transcript, node, neighbour, at);
    const auto made = transcript.value(neighbour, node, at);
    const auto held = transcript.value(node, neighbour, at);
    const double pull = 2 * transcript.facts().rho * edge_sign(node, neighbour);
    return (*message / transcript.facts().theta + *made - *held) / pull;
  });
}

std::optional<VectorXd> model_gap(const PrimalDualTranscript& transcript, NodeId node, std::size_t step,
                                  NodeId neighbour, std::size_t neighbour_step) {
  if (!has_step(transcript, node, step) || !has_step(transcript, neighbour, neighbour_step)) return {};
  const Round here = transcript.steps(node)[step], there = transcript.steps(neighbour)[neighbour_step];
  if (!knows_gap(transcript, node, here, neighbour, there)) return {};
  const auto mine = added(transcript, node, neighbour, here);
  const auto theirs = added(transcript, neighbour, node, there);
  const auto held = transcript.change(node, neighbour, there, here);
  const auto made = transcript.change(neighbour, node, there, here);
  const double pull = 2 * transcript.facts().rho * edge_sign(node, neighbour);
  return ((*mine + *theirs) / transcript.facts().theta - *held + *made) / pull;
}

std::optional<VectorXd> model_along_links(const PrimalDualTranscript& transcript, NodeId node,
                                          std::size_t step, Links links) {
  if (!has_step(transcript, node, step)) return {};
  const std::vector<Reached> path = path_to_known_model(transcript, node, step);
  if (path.empty()) return {};
  VectorXd gap = VectorXd::Zero(transcript.size());
  for (std::size_t i = 1; i < path.size(); ++i)
    gap += *model_gap(transcript, path[i - 1].node, path[i - 1].step, path[i].node, path[i].step);
  return *model_at_known_link(transcript, path.back().node, path.back().step, links) + gap;
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
