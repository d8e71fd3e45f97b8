#include "earshot/network/local_network.hpp"

#include <algorithm>

#include "earshot/core/error.hpp"
#include "earshot/core/parallel.hpp"

namespace earshot {

LocalNetwork::LocalNetwork(const Graph& graph, std::vector<std::unique_ptr<Participant>> participants,
                           WirePrecision precision)
    : graph_(graph), participants_(std::move(participants)), precision_(precision) {
  if (participants_.size() != graph.node_count())
    fail(Fault::kInternal, "a network needs one participant per node");
  slot_at_neighbour_.resize(2 * graph.edge_count());
  heard_.resize(2 * graph.edge_count());
  for (NodeId node = 0; node < graph.node_count(); ++node) {
    outboxes_.emplace_back(graph.degree(node));
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
    parallel_for(graph_.node_count(), [&](std::size_t node) {
      outboxes_[node].clear();
      participants_[node]->speak(next_round_, outboxes_[node]);
      if (precision_ == WirePrecision::kSingle) outboxes_[node].round_to_single();
    });
    let_observers_hear();
    parallel_for(graph_.node_count(), [&](std::size_t node) { deliver(static_cast<NodeId>(node)); });
  }
}

void LocalNetwork::let_observers_hear() const {
  for (Observer* observer : observers_) {
    for (NodeId from = 0; from < graph_.node_count(); ++from) {
      const Outbox& said = outboxes_[from];
      if (said.has_broadcast()) observer->on_broadcast(next_round_, from, said.broadcast_message());
      const auto neighbours = graph_.neighbours(from);
      for (std::size_t i = 0; i < neighbours.size(); ++i) {
        if (said.has_single(i)) observer->on_message(next_round_, from, neighbours[i], said.message_for(i));
      }
    }
  }
}

void LocalNetwork::deliver(NodeId node) {
  const auto neighbours = graph_.neighbours(node);
  const std::size_t first = graph_.first_slot(node);
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    heard_[first + i] = outboxes_[neighbours[i]].message_for(slot_at_neighbour_[first + i]);
  }
  participants_[node]->listen(next_round_, Inbox(std::span(heard_).subspan(first, neighbours.size())));
}

}  // namespace earshot
