// Delivers messages round by round inside one process; results do not depend on the number of threads.
#pragma once

#include <vector>

#include "earshot/network/participant.hpp"
#include "earshot/network/topology.hpp"

namespace earshot {

/// Told about every message, in a fixed order; it decides what it is entitled to keep.
class Observer {
 public:
  virtual ~Observer() = default;
  /// `heard_by`: the neighbours that were sent this message.
  virtual void on_broadcast(Round round, NodeId from, std::span<const NodeId> heard_by,
                            std::span<const double> message) = 0;
  virtual void on_message(Round round, NodeId from, NodeId to, std::span<const double> message) = 0;
};

enum class WirePrecision { kDouble, kSingle };

class LocalNetwork {
 public:
  /// One participant per node of the topology, in node order; all must outlive the network.
  LocalNetwork(Topology& topology, std::vector<Participant*> participants,
               WirePrecision precision = WirePrecision::kDouble);

  void attach(Observer& observer) { observers_.push_back(&observer); }
  /// Runs the next `rounds` rounds: all speak, observers overhear, all listen.
  void run(Round rounds);
  Round next_round() const { return next_round_; }

  /// Where the network stands; participants are saved by their owner.
  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  void enter_round();
  void let_observers_hear() const;
  void deliver(NodeId node);

  Topology& topology_;
  std::vector<Participant*> participants_;
  WirePrecision precision_;
  std::vector<Observer*> observers_;
  std::vector<Outbox> outboxes_;
  std::vector<std::size_t> slot_at_neighbour_;  // where a node stands in the list of its i-th neighbour
  std::vector<std::span<const double>> heard_;
  Round next_round_ = 0;
};

}  // namespace earshot
