// Messages on their way for more than a round.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "earshot/core/state.hpp"
#include "earshot/network/faults.hpp"
#include "earshot/network/participant.hpp"

namespace earshot {

/// Copies of late messages, by receiver. Of several from one sender that are due together the newest is
/// heard, and none when the sender is heard afresh.
class LateMessages {
 public:
  using Payload = std::shared_ptr<const std::vector<double>>;
  struct Message {
    NodeId from = 0;
    Round said = 0;
    Round due = 0;
    Payload payload;
  };

  LateMessages(std::size_t nodes, bool reorder) : reorder_(reorder), waiting_(nodes), due_(nodes) {}

  void send(NodeId to, Message message) { waiting_[to].push_back(std::move(message)); }
  /// Takes out what is due at every node, at most one message per sender, ordered by sender. What arrives at
  /// a node that is down or not a neighbour of its sender any more is lost. What was due in an earlier round
  /// is gone.
  void enter(Round round, const Graph& graph, FaultLaw& law);
  /// What `node` could hear of `from` in this round; null when nothing is due.
  const Message* due(NodeId node, NodeId from) const;
  /// A message of `from` said in round `said` has been heard: older ones still on their way are dropped,
  /// unless messages may be heard out of order.
  void heard(NodeId node, NodeId from, Round said, FaultReport& report);

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  bool reorder_;
  std::vector<std::vector<Message>> waiting_;
  std::vector<std::vector<Message>> due_;
};

}  // namespace earshot
