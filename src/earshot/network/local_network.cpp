#include "earshot/network/local_network.hpp"

#include <algorithm>

#include "earshot/core/error.hpp"
#include "earshot/core/parallel.hpp"

namespace earshot {

LocalNetwork::LocalNetwork(Topology& topology, std::vector<Participant*> participants,
                           WirePrecision precision)
    : topology_(topology), participants_(std::move(participants)), precision_(precision) {
  topology_.enter(0);
  if (participants_.size() != topology_.graph().node_count())
    fail(Fault::kInternal, "a network needs one participant per node");
  outboxes_.assign(participants_.size(), Outbox({}));
}

void LocalNetwork::enter_round() {
  topology_.enter(next_round_);
  const Graph& graph = topology_.graph();
  for (NodeId node = 0; node < graph.node_count(); ++node) outboxes_[node].start(graph.neighbours(node));
  heard_.resize(2 * graph.edge_count());
  slot_at_neighbour_.resize(2 * graph.edge_count());
  for (NodeId node = 0; node < graph.node_count(); ++node) {
    const auto neighbours = graph.neighbours(node);
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      const auto back = graph.neighbours(neighbours[i]);
      const auto mine = std::lower_bound(back.begin(), back.end(), node);
      slot_at_neighbour_[graph.first_slot(node) + i] = static_cast<std::size_t>(mine - back.begin());
    }
  }
}

void LocalNetwork::run(Round rounds) {
  for (Round i = 0; i < rounds; ++i, ++next_round_) {
    enter_round();
    parallel_for(participants_.size(), [&](std::size_t node) {
      participants_[node]->speak(next_round_, outboxes_[node]);
      if (precision_ == WirePrecision::kSingle) outboxes_[node].round_to_single();
    });
    let_observers_hear();
    parallel_for(participants_.size(), [&](std::size_t node) { deliver(static_cast<NodeId>(node)); });
  }
}

void LocalNetwork::let_observers_hear() const {
  const Graph& graph = topology_.graph();
  for (Observer* observer : observers_) {
    for (NodeId from = 0; from < graph.node_count(); ++from) {
      const Outbox& said = outboxes_[from];
      const auto neighbours = graph.neighbours(from);
      if (said.has_broadcast())
        observer->on_broadcast(next_round_, from, neighbours, said.broadcast_message());
      for (std::size_t i = 0; i < neighbours.size(); ++i) {
        if (said.has_single(i)) observer->on_message(next_round_, from, neighbours[i], said.message_for(i));
      }
    }
  }
}

void LocalNetwork::deliver(NodeId node) {
  const Graph& graph = topology_.graph();
  const auto neighbours = graph.neighbours(node);
  const std::size_t first = graph.first_slot(node);
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    heard_[first + i] = outboxes_[neighbours[i]].message_for(slot_at_neighbour_[first + i]);
  }
  const auto heard = std::span(heard_).subspan(first, neighbours.size());
  Participant& participant = *participants_[node];
  if (participant.hearing() == Hearing::kOneByOne) {
    for (std::size_t i = 0; i < heard.size(); ++i) {
      if (!heard[i].empty()) participant.listen(next_round_, Inbox(heard.subspan(i, 1), i));
    }
  } else {
    participant.listen(next_round_, Inbox(heard));
  }
  participant.finish(next_round_);
}

void LocalNetwork::save(StateWriter& out) const {
  out.number(next_round_);
}

void LocalNetwork::load(StateReader& in) {
  next_round_ = static_cast<Round>(in.number());
}

}  // namespace earshot
