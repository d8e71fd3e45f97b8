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

PrimalDualTranscript::PrimalDualTranscript(const View& view, PrimalDualFacts facts, Round until,
                                           MessageKeys* read)
    : view_(view), facts_(std::move(facts)), read_(read) {
  for (NodeId from = 0; from < network().node_count(); ++from) {
    for (const NodeId to : network().neighbours(from)) {
      const Link link(from, to);
      if (hears(view.adversary(), from, to)) links_.emplace(link, Said{link, {}, {}, {}});
    }
  }
  listen_to(view, until);
  take_starts();
}

/// In the order in which messages were said, kept or not.
void PrimalDualTranscript::listen_to(const View& view, Round until) {
  auto missed = view.unkept().begin();
  const auto miss_until = [&](Round end) {
    for (; missed != view.unkept().end() && missed->round < end; ++missed) {
      Said& link = link_of(missed->from, missed->to);
      link.when.push_back(missed->round);
      link.what.emplace_back();
    }
  };
  for (const Overheard& heard : view.messages()) {
    if (heard.round >= until) break;
    miss_until(heard.round);
    listen(heard);
  }
  miss_until(until);
}

PrimalDualTranscript::Said& PrimalDualTranscript::link_of(NodeId from, std::optional<NodeId> to) {
  const auto link = to ? links_.find({from, *to}) : links_.end();
  if (link == links_.end()) fail(Fault::kData, "the view holds a message on a link that its network has not");
  return link->second;
}

void PrimalDualTranscript::listen(const Overheard& heard) {
  if (heard.said != heard.round)
    fail(Fault::kConfig,
         "this attack follows every message, and some came late; record a run without faults");
  Said& link = link_of(heard.from, heard.to);
  const auto length = static_cast<Eigen::Index>(heard.message.size());
  if (size_ == 0) size_ = length;
  if (length != size_) fail(Fault::kData, "the view holds messages of different lengths");
  link.when.push_back(heard.round);
  link.what.push_back(heard.message);
}

/// z^(0) is of use only if everything since is heard: recordings begin with a round of training.
void PrimalDualTranscript::take_starts() {
  const auto begins = [&](const auto& heard) {
    return !heard.empty() && heard.front().round < facts_.exchanges;
  };
  if (!begins(view_.messages()) && !begins(view_.unkept())) return;
  if (facts_.zero_start) {
    zero_.assign(static_cast<std::size_t>(size_), 0.0);
    for (auto& link : links_) link.second.start = zero_;
  }
  for (const Overheard& heard : view_.encrypted()) {
    const auto link = heard.to ? links_.find({heard.from, *heard.to}) : links_.end();
    if (link == links_.end() || static_cast<Eigen::Index>(heard.message.size()) != size_)
      fail(Fault::kData, "the view holds a first value of a link that its network has not");
    link->second.start = heard.message;
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
  if (read_ != nullptr) read_->emplace(said.when[i], said.link.first, said.link.second);
  return {said.what[i].data(), size_};
}

bool PrimalDualTranscript::all_kept(const Said& said, std::size_t first, std::size_t end) {
  return std::all_of(said.what.begin() + static_cast<std::ptrdiff_t>(first),
                     said.what.begin() + static_cast<std::ptrdiff_t>(end),
                     [](std::span<const double> one) { return !one.empty(); });
}

bool PrimalDualTranscript::knows_change(NodeId holder, NodeId maker, Round from, Round to) const {
  const Said* link = said(holder, maker);
  if (link == nullptr) return false;
  const std::size_t first = link->before(std::min(from, to)), end = link->before(std::max(from, to));
  if (first == end) return true;
  if (facts_.differential) return all_kept(*link, first, end);
  return all_kept(*link, end - 1, end) && knows_value(holder, maker, std::min(from, to));
}

bool PrimalDualTranscript::knows_value(NodeId holder, NodeId maker, Round at) const {
  const Said* link = said(holder, maker);
  if (link == nullptr) return false;
  const std::size_t end = link->before(at);
  if (!facts_.differential && end > 0) return all_kept(*link, end - 1, end);
  return link->start && all_kept(*link, 0, end);
}

std::optional<VectorXd> PrimalDualTranscript::change(NodeId holder, NodeId maker, Round from,
                                                     Round to) const {
  if (!knows_change(holder, maker, from, to)) return {};
  if (from > to) return -*change(holder, maker, to, from);
  const Said& link = *said(holder, maker);
  const std::size_t first = link.before(from), end = link.before(to);
  VectorXd sum = VectorXd::Zero(size_);
  if (first == end) return sum;
  if (!facts_.differential) return message(link, end - 1) - *value(holder, maker, from);
  for (std::size_t i = first; i < end; ++i) sum += message(link, i);
  return sum;
}

std::optional<VectorXd> PrimalDualTranscript::value(NodeId holder, NodeId maker, Round at) const {
  if (!knows_value(holder, maker, at)) return {};
  const Said& link = *said(holder, maker);
  const std::size_t end = link.before(at);
  if (!facts_.differential && end > 0) return message(link, end - 1);
  VectorXd z = Eigen::Map<const VectorXd>(link.start->data(), size_);
  if (facts_.differential) {
    for (std::size_t i = 0; i < end; ++i) z += message(link, i);
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
