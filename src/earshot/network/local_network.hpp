// Delivers messages round by round inside one process; results do not depend on the number of threads.
#pragma once

#include <memory>
#include <vector>

#include "earshot/graph/graph.hpp"
#include "earshot/network/participant.hpp"

namespace earshot {

/// Told about every message, in a fixed order; it decides what it is entitled to keep.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_broadcast(Round round, NodeId from, std::span<const double> message) = 0;
  virtual void on_message(Round round, NodeId from, NodeId to, std::span<const double> message) = 0;
};

enum class WirePrecision { kDouble, kSingle };

class LocalNetwork {
 public:
  /// One participant per node of `graph`, in node order.
  LocalNetwork(const Graph& graph, std::vector<std::unique_ptr<Participant>> participants,
               WirePrecision precision = WirePrecision::kDouble);

  void attach(Observer& observer) { observers_.push_back(&observer); }
  /// Runs the next `rounds` rounds: all speak, observers overhear, all listen.
  void run(Round rounds);

 private:
  void let_observers_hear() const;
  void deliver(NodeId node);

  const Graph& graph_;
  std::vector<std::unique_ptr<Participant>> participants_;
  WirePrecision precision_;
  std::vector<Observer*> observers_;
  std::vector<Outbox> outboxes_;
  std::vector<std::size_t>
      slot_at_neighbour_;  // where a node stands in the neighbour list of its i-th neighbour
  std::vector<std::span<const double>> heard_;
  Round next_round_ = 0;
};

}  // namespace earshot
