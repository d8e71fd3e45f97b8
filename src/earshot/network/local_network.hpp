// Delivers messages round by round inside one process; results do not depend on the number of threads.
#pragma once

#include <memory>
#include <vector>

#include "earshot/network/faults.hpp"
#include "earshot/network/late_messages.hpp"
#include "earshot/network/participant.hpp"
#include "earshot/network/topology.hpp"

namespace earshot {

/// The neighbours a message was sent to, and those of them that hear it in the same round.
struct Audience {
  std::span<const NodeId> sent_to;
  std::span<const NodeId> heard_by;
};

/// Told about every message, in a fixed order; it decides what it is entitled to keep.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_broadcast(Round round, NodeId from, const Audience& audience,
                            std::span<const double> message) = 0;
  /// Said to one neighbour, which hears it in this round.
  virtual void on_message(Round round, NodeId from, NodeId to, std::span<const double> message) = 0;
  /// Said to one neighbour, which does not hear it in this round: only the wire carried it.
  virtual void on_missed(Round, NodeId /*from*/, NodeId /*to*/, std::span<const double>) {}
  /// Heard in this round, but said in the round `said`; nothing said in this round took its place.
  virtual void on_late(Round, NodeId /*from*/, NodeId /*to*/, Round /*said*/, std::span<const double>) {}
};

enum class WirePrecision { kDouble, kSingle };

class LocalNetwork {
 public:
  /// One participant per node of the topology, in node order; all must outlive the network.
  LocalNetwork(Topology& topology, std::vector<Participant*> participants,
               WirePrecision precision = WirePrecision::kDouble);

  void attach(Observer& observer) { observers_.push_back(&observer); }
  /// From the first round on, messages and nodes suffer these faults; before anything is run or loaded.
  void suffer(const FaultOptions& faults, std::uint64_t seed, std::uint64_t trial);
  /// Null when nothing can go wrong.
  const FaultReport* fault_report() const { return law_ ? &law_->report() : nullptr; }

  /// Runs the next `rounds` rounds: all speak, observers overhear, all listen. Nodes that hear one by one
  /// speak first and listen while the others speak.
  void run(Round rounds);
  Round next_round() const { return next_round_; }

  /// Where the network stands, with the messages on their way; participants are saved by their owner.
  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  void enter_round();
  void wire();
  bool down(NodeId node) const { return law_ && law_->down(node); }
  void speak(NodeId node);
  void speak_group(NodeId first, NodeId last);
  void route(NodeId from);
  void route_with_faults(NodeId from);
  bool travels(NodeId from, std::size_t i, std::span<const double> message, LateMessages::Payload& copy);
  void let_observers_hear(NodeId from);
  void let_hub_hear(NodeId hub, NodeId first, NodeId last);
  bool awaited(NodeId from) const;
  void listen(NodeId node, std::size_t offset, std::size_t length);
  void listen_all();
  void listen_in_pieces();

  Topology& topology_;
  std::vector<Participant*> participants_;
  WirePrecision precision_;
  std::vector<Observer*> observers_;
  std::vector<Hearing> hearing_;
  std::vector<NodeId> hubs_;  // those that hear one by one
  std::vector<NodeId> in_pieces_;
  bool wired_ = false;

  std::vector<Outbox> outboxes_;
  Outbox::Buffers spare_;
  std::vector<std::size_t> reverse_;  // the slot of the opposite direction
  std::vector<std::span<const double>> heard_;
  std::vector<Round> ages_;  // empty without faults
  std::vector<NodeId> sent_to_, heard_by_;
  std::unique_ptr<FaultLaw> law_;
  std::unique_ptr<LateMessages> late_;
  Round next_round_ = 0;
};

}  // namespace earshot
