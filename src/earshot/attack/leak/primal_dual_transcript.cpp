#include "earshot/attack/leak/primal_dual_transcript.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/graph/edge_sign.hpp"

namespace earshot {
namespace {

using Eigen::VectorXd;

bool hears(const Adversary& adversary, NodeId from, NodeId to) {
  const auto has = [](const std::vector<NodeId>& nodes, NodeId node) {
    return std::ranges::binary_search(nodes, node);
  };
  return has(adversary.colluding, from) || has(adversary.colluding, to) || has(adversary.tapped, from) ||
         std::ranges::binary_search(adversary.wires, Edge(std::minmax(from, to)));
}

}  // namespace

PrimalDualTranscript::PrimalDualTranscript(const View& view, PrimalDualFacts facts, Round until)
    : view_(view), facts_(std::move(facts)) {
  for (NodeId from = 0; from < network().node_count(); ++from) {
    for (const NodeId to : network().neighbours(from)) {
      if (hears(view.adversary(), from, to)) links_.emplace(Link(from, to), Said());
    }
  }
  for (const Overheard& heard : view.messages()) {
    if (heard.round < until) listen(heard);
  }
  take_starts();
}

void PrimalDualTranscript::listen(const Overheard& heard) {
  if (heard.said != heard.round)
    fail(Fault::kConfig,
         "this attack follows every message, and some came late; record a run without faults");
  const auto link = heard.to ? links_.find({heard.from, *heard.to}) : links_.end();
  if (link == links_.end()) fail(Fault::kData, "the view holds a message on a link that its network has not");
  const auto length = static_cast<Eigen::Index>(heard.message.size());
  if (size_ == 0) size_ = length;
  if (length != size_) fail(Fault::kData, "the view holds messages of different lengths");
  link->second.when.push_back(heard.round);
  link->second.what.push_back(heard.message);
}

/// z^(0) is of use only if everything since is heard: recordings begin with a round of training.
void PrimalDualTranscript::take_starts() {
  if (view_.messages().empty() || view_.messages().front().round >= facts_.exchanges) return;
  if (facts_.zero_start) {
    for (auto& link : links_) link.second.start = VectorXd::Zero(size_);
  }
  for (const Overheard& heard : view_.encrypted()) {
    const auto link = heard.to ? links_.find({heard.from, *heard.to}) : links_.end();
    if (link == links_.end() || static_cast<Eigen::Index>(heard.message.size()) != size_)
      fail(Fault::kData, "the view holds a first value of a link that its network has not");
    link->second.start = Eigen::Map<const VectorXd>(heard.message.data(), size_);
  }
}

std::size_t PrimalDualTranscript::Said::before(Round at) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(when, at) - when.begin());
}

bool PrimalDualTranscript::member(NodeId node) const {
  return std::ranges::binary_search(members(), node);
}

std::span<const Round> PrimalDualTranscript::steps(NodeId node) const {
  for (const NodeId to : network().neighbours(node)) {
    if (const Said* one = said(to, node)) return one->when;
  }
  return {};
}

std::optional<std::size_t> PrimalDualTranscript::step_at(NodeId node, Round at) const {
  const std::span<const Round> all = steps(node);
  if (all.empty()) return {};
  const auto later = static_cast<std::size_t>(std::ranges::upper_bound(all, at) - all.begin());
  return later == 0 ? 0 : later - 1;
}

const PrimalDualTranscript::Said* PrimalDualTranscript::said(NodeId holder, NodeId maker) const {
  const auto link = links_.find({maker, holder});
  return link == links_.end() ? nullptr : &link->second;
}

Eigen::Map<const VectorXd> PrimalDualTranscript::message(const Said& said, std::size_t i) const {
  return {said.what[i].data(), size_};
}

std::optional<VectorXd> PrimalDualTranscript::change(NodeId holder, NodeId maker, Round from,
                                                     Round to) const {
  const Said* link = said(holder, maker);
  if (link == nullptr) return {};
  if (from > to) {
    std::optional<VectorXd> back = change(holder, maker, to, from);
    if (back) *back *= -1;
    return back;
  }
  const std::size_t first = link->before(from), end = link->before(to);
  VectorXd sum = VectorXd::Zero(size_);
  if (first == end) return sum;
  if (facts_.differential) {
    for (std::size_t i = first; i < end; ++i) sum += message(*link, i);
    return sum;
  }
  const std::optional<VectorXd> before = value(holder, maker, from);
  if (!before) return {};
  return message(*link, end - 1) - *before;
}

std::optional<VectorXd> PrimalDualTranscript::value(NodeId holder, NodeId maker, Round at) const {
  const Said* link = said(holder, maker);
  if (link == nullptr) return {};
  const std::size_t end = link->before(at);
  if (!facts_.differential && end > 0) return message(*link, end - 1);
  std::optional<VectorXd> z = link->start;
  if (z && facts_.differential) {
    for (std::size_t i = 0; i < end; ++i) *z += message(*link, i);
  }
  return z;
}

template <class OfNeighbour>
std::optional<VectorXd> PrimalDualTranscript::signed_sum(NodeId node, const OfNeighbour& of_neighbour) const {
  VectorXd sum = VectorXd::Zero(size_);
  for (const NodeId neighbour : network().neighbours(node)) {
    const std::optional<VectorXd> z = of_neighbour(neighbour);
    if (!z) return {};
    sum += edge_sign(node, neighbour) * *z;
  }
  return sum;
}

std::optional<VectorXd> PrimalDualTranscript::dual_change(NodeId node, Round from, Round to) const {
  return signed_sum(node, [&](NodeId neighbour) { return change(node, neighbour, from, to); });
}

std::optional<VectorXd> PrimalDualTranscript::dual(NodeId node, Round at) const {
  return signed_sum(node, [&](NodeId neighbour) { return value(node, neighbour, at); });
}

}  // namespace earshot
