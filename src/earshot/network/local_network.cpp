#include "earshot/network/local_network.hpp"

#include <algorithm>

#include "earshot/core/error.hpp"
#include "earshot/core/parallel.hpp"

namespace earshot {
namespace {

/// Nodes that speak before hubs listen. Results do not depend on it; memory for composed messages does.
constexpr std::size_t kGroup = 32;
/// Of all messages, this much is worked on at a time: a share of the last-level cache.
constexpr std::size_t kPieceBytes = std::size_t{8} << 20;
/// Shorter pieces lose more than the cache saves: the machine fetches ahead of every stretch it reads, in
/// vain where the stretch ends (10,000 nodes of 1,000 numbers took twice as long in pieces of 128 as in one).
constexpr std::size_t kShortestPiece = 1024;
constexpr std::size_t kEverything = std::numeric_limits<std::size_t>::max();

std::size_t piece_length(std::size_t messages) {
  return std::max(kShortestPiece, kPieceBytes / (sizeof(double) * messages));
}

/// For short bodies: several nodes per task.
void for_each_node(std::size_t count, const std::function<void(std::size_t)>& body) {
  const std::size_t block = (count + 511) / 512;
  parallel_for((count + block - 1) / std::max<std::size_t>(1, block), [&](std::size_t b) {
    for (std::size_t i = b * block; i < std::min(count, (b + 1) * block); ++i) body(i);
  });
}

}  // namespace

LocalNetwork::LocalNetwork(Topology& topology, std::vector<Participant*> participants,
                           WirePrecision precision)
    : topology_(topology), participants_(std::move(participants)), precision_(precision) {
  topology_.enter(0);
  if (participants_.size() != topology_.graph().node_count())
    fail(Fault::kInternal, "a network needs one participant per node");
  outboxes_.assign(participants_.size(), Outbox({}));
  for (NodeId node = 0; node < participants_.size(); ++node) {
    hearing_.push_back(participants_[node]->hearing());
    if (hearing_.back() == Hearing::kOneByOne) hubs_.push_back(node);
    if (hearing_.back() == Hearing::kInPieces) in_pieces_.push_back(node);
  }
}

void LocalNetwork::suffer(const FaultOptions& faults, std::uint64_t seed, std::uint64_t trial) {
  if (next_round_ > 0) fail(Fault::kInternal, "faults cannot start in the middle of a run");
  if (!faults.any()) return;
  law_ = std::make_unique<FaultLaw>(faults, seed, trial, participants_.size());
  late_ = std::make_unique<LateMessages>(participants_.size(), faults.reorder);
}

void LocalNetwork::wire() {
  const Graph& graph = topology_.graph();
  const std::size_t slots = 2 * graph.edge_count();
  heard_.assign(slots, {});
  reverse_.resize(slots);
  // Neighbours are sorted, so the nodes that have a given neighbour come by in the order of its slots.
  std::vector<std::size_t> next(graph.node_count());
  for (NodeId node = 0; node < graph.node_count(); ++node) next[node] = graph.first_slot(node);
  for (NodeId node = 0; node < graph.node_count(); ++node) {
    std::size_t slot = graph.first_slot(node);
    for (const NodeId neighbour : graph.neighbours(node)) reverse_[slot++] = next[neighbour]++;
  }
  wired_ = true;
}

void LocalNetwork::enter_round() {
  topology_.enter(next_round_);
  if (!wired_ || !topology_.fixed()) wire();
  const Graph& graph = topology_.graph();
  for (NodeId node = 0; node < graph.node_count(); ++node) outboxes_[node].start(graph.neighbours(node));
  if (!law_) return;
  law_->enter(next_round_, graph, reverse_);
  late_->enter(next_round_, graph, *law_);
  ages_.assign(heard_.size(), 0);
}

void LocalNetwork::run(Round rounds) {
  for (Round i = 0; i < rounds; ++i, ++next_round_) {
    enter_round();
    parallel_for(hubs_.size(), [&](std::size_t hub) { speak(hubs_[hub]); });
    const std::size_t nodes = participants_.size();
    const std::size_t group = hubs_.empty() ? nodes : kGroup;
    for (std::size_t first = 0; first < nodes; first += group)
      speak_group(static_cast<NodeId>(first), static_cast<NodeId>(std::min(nodes, first + group)));
    listen_all();
  }
}

void LocalNetwork::speak(NodeId node) {
  if (down(node)) return;
  participants_[node]->speak(next_round_, outboxes_[node]);
  if (precision_ == WirePrecision::kSingle) outboxes_[node].round_to_single();
}

void LocalNetwork::speak_group(NodeId first, NodeId last) {
  for (NodeId node = first; node < last; ++node) {
    if (hearing_[node] != Hearing::kOneByOne) outboxes_[node].lend(spare_);
  }
  for_each_node(last - first, [&](std::size_t i) {
    const auto node = static_cast<NodeId>(first + i);
    if (hearing_[node] != Hearing::kOneByOne) speak(node);
    if (!law_) route(node);
  });
  for (NodeId node = first; node < last && law_; ++node) route_with_faults(node);
  for (NodeId node = first; node < last && !observers_.empty(); ++node) let_observers_hear(node);
  if (hubs_.empty()) return;
  parallel_for(hubs_.size(), [&](std::size_t hub) { let_hub_hear(hubs_[hub], first, last); });
  for (NodeId node = first; node < last; ++node) {
    if (!awaited(node)) outboxes_[node].withdraw(spare_);
  }
  if (spare_.size() > kGroup) spare_.resize(kGroup);  // of nodes that composed more than one message
}

void LocalNetwork::route(NodeId from) {
  const Graph& graph = topology_.graph();
  const std::size_t first = graph.first_slot(from);
  for (std::size_t i = 0; i < graph.degree(from); ++i)
    heard_[reverse_[first + i]] = outboxes_[from].message_for(i);
}

void LocalNetwork::route_with_faults(NodeId from) {
  const Graph& graph = topology_.graph();
  const auto neighbours = graph.neighbours(from);
  LateMessages::Payload copy;  // of the broadcast, once it is needed
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    const std::size_t there = reverse_[graph.first_slot(from) + i];
    const auto message = outboxes_[from].message_for(i);
    const bool arrives = !message.empty() && travels(from, i, message, copy);
    const LateMessages::Message* late = late_->due(neighbours[i], from);
    if (arrives && late != nullptr) ++law_->report().superseded;
    const bool old = !arrives && late != nullptr;
    heard_[there] = arrives ? message
                    : old   ? std::span<const double>(*late->payload)
                            : std::span<const double>();
    ages_[there] = old ? next_round_ - late->said : 0;
    if (arrives || old) late_->heard(neighbours[i], from, next_round_ - ages_[there], law_->report());
  }
}

/// Whether the message arrives in this round; if it is late, it is sent on its way.
bool LocalNetwork::travels(NodeId from, std::size_t i, std::span<const double> message,
                           LateMessages::Payload& copy) {
  const NodeId to = outboxes_[from].neighbours()[i];
  const FaultLaw::Fate fate = law_->fate(topology_.graph().first_slot(from) + i);
  FaultReport& report = law_->report();
  ++report.sent;
  if (fate.lost || (fate.late == 0 && down(to))) {
    ++report.lost;
    return false;
  }
  if (fate.late == 0) return true;
  ++report.delayed;
  const bool single = outboxes_[from].has_single(i);
  LateMessages::Payload payload = single ? nullptr : copy;
  if (!payload) payload = std::make_shared<const std::vector<double>>(message.begin(), message.end());
  if (!single) copy = payload;
  late_->send(to, {from, next_round_, next_round_ + fate.late, std::move(payload)});
  return false;
}

void LocalNetwork::let_observers_hear(NodeId from) {
  const Graph& graph = topology_.graph();
  const auto neighbours = graph.neighbours(from);
  const Outbox& said = outboxes_[from];
  const auto heard_at = [&](std::size_t i) { return reverse_[graph.first_slot(from) + i]; };
  const auto is_late = [&](std::size_t i) { return law_ && ages_[heard_at(i)] > 0; };
  const auto reaches = [&](std::size_t i) { return !heard_[heard_at(i)].empty() && !is_late(i); };
  sent_to_.clear();
  heard_by_.clear();
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    if (said.has_single(i)) continue;
    sent_to_.push_back(neighbours[i]);
    if (reaches(i)) heard_by_.push_back(neighbours[i]);
  }
  for (Observer* observer : observers_) {
    for (std::size_t i = 0; i < neighbours.size() && law_; ++i) {
      const std::size_t there = heard_at(i);
      if (is_late(i))
        observer->on_late(next_round_, from, neighbours[i], next_round_ - ages_[there], heard_[there]);
    }
    if (said.has_broadcast())
      observer->on_broadcast(next_round_, from, {sent_to_, heard_by_}, said.broadcast_message());
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      if (!said.has_single(i)) continue;
      if (reaches(i)) {
        observer->on_message(next_round_, from, neighbours[i], said.message_for(i));
      } else {
        observer->on_missed(next_round_, from, neighbours[i], said.message_for(i));
      }
    }
  }
}

void LocalNetwork::let_hub_hear(NodeId hub, NodeId first, NodeId last) {
  if (down(hub)) return;
  const auto neighbours = topology_.graph().neighbours(hub);
  const auto begin = std::ranges::lower_bound(neighbours, first);
  for (auto from = begin; from != neighbours.end() && *from < last; ++from) {
    const auto i = static_cast<std::size_t>(from - neighbours.begin());
    const std::size_t slot = topology_.graph().first_slot(hub) + i;
    if (heard_[slot].empty()) continue;
    const auto age = law_ ? std::span<const Round>(ages_).subspan(slot, 1) : std::span<const Round>();
    participants_[hub]->listen(next_round_,
                               Inbox(std::span(heard_).subspan(slot, 1), i, 0, kEverything, age));
  }
}

/// Whether somebody still has to hear what this node said.
bool LocalNetwork::awaited(NodeId from) const {
  const auto neighbours = topology_.graph().neighbours(from);
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    if (hearing_[neighbours[i]] != Hearing::kOneByOne && !outboxes_[from].message_for(i).empty()) return true;
  }
  return false;
}

void LocalNetwork::listen(NodeId node, std::size_t offset, std::size_t length) {
  const std::size_t first = topology_.graph().first_slot(node);
  const std::size_t degree = topology_.graph().degree(node);
  const auto ages = law_ ? std::span<const Round>(ages_).subspan(first, degree) : std::span<const Round>();
  participants_[node]->listen(next_round_,
                              Inbox(std::span(heard_).subspan(first, degree), 0, offset, length, ages));
}

void LocalNetwork::listen_in_pieces() {
  std::size_t longest = 0;
  for (const std::span<const double> message : heard_) longest = std::max(longest, message.size());
  const std::size_t piece = piece_length(participants_.size());
  std::size_t offset = 0;
  do {
    const std::size_t length = offset + piece < longest ? piece : kEverything;
    for_each_node(in_pieces_.size(), [&](std::size_t i) {
      if (!down(in_pieces_[i])) listen(in_pieces_[i], offset, length);
    });
    offset += piece;
  } while (offset < longest);
}

void LocalNetwork::listen_all() {
  if (!in_pieces_.empty()) listen_in_pieces();
  for_each_node(participants_.size(), [&](std::size_t i) {
    const auto node = static_cast<NodeId>(i);
    if (down(node)) return;
    if (hearing_[node] == Hearing::kTogether) listen(node, 0, kEverything);
    participants_[node]->finish(next_round_);
  });
}

void LocalNetwork::save(StateWriter& out) const {
  out.number(next_round_);
  if (!law_) return;
  law_->save(out);
  late_->save(out);
}

void LocalNetwork::load(StateReader& in) {
  next_round_ = static_cast<Round>(in.number());
  if (!law_) return;
  law_->load(in);
  late_->load(in);
}

}  // namespace earshot
