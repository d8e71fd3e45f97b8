// What an adversary overheard and was told. There is no field for the truth, so no attack can use it.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "earshot/graph/gossip_matrix.hpp"
#include "earshot/network/local_network.hpp"
#include "earshot/threat/adversary.hpp"

namespace earshot {

/// One message as it crossed the wire. `to` is empty for a message every neighbour received.
struct Overheard {
  Round round = 0;
  NodeId from = 0;
  std::optional<NodeId> to;
  std::span<const double> message;
};

/// Facts the protocol makes public; printed with every result.
struct PublicKnowledge {
  const GossipMatrix* gossip_matrix = nullptr;
  std::vector<double> mixing;              // second-order weights omega_t of accelerated gossip; empty: plain
  std::vector<double> initial_parameters;  // the common starting point of D-GD; empty when there is none
  std::optional<double> learning_rate;
};

class View {
 public:
  View(Adversary adversary, const PublicKnowledge& told) : adversary_(std::move(adversary)), told_(&told) {}

  const Adversary& adversary() const { return adversary_; }
  const PublicKnowledge& told() const { return *told_; }
  /// Ordered by round, then sender.
  std::span<const Overheard> messages() const { return messages_; }
  Round rounds() const { return rounds_; }

 private:
  friend class Recorder;
  Adversary adversary_;
  const PublicKnowledge* told_;
  std::vector<Overheard> messages_;
  Round rounds_ = 0;
};

/// Records, for several adversaries at once, exactly the wires each is entitled to. A payload heard by
/// several is kept once; what nobody hears, and everything after the first `window` rounds, is not kept at
/// all.
class Recorder : public Observer {
 public:
  Recorder(const Graph& graph, std::span<const Adversary> adversaries, PublicKnowledge told, Round window);

  void on_broadcast(Round round, NodeId from, std::span<const NodeId> heard_by,
                    std::span<const double> message) override;
  void on_message(Round round, NodeId from, NodeId to, std::span<const double> message) override;
  std::span<const View> views() const { return views_; }

 private:
  void record(Round round, NodeId from, std::optional<NodeId> to, std::span<const double> message,
              std::span<const std::size_t> listeners);

  PublicKnowledge told_;
  Round window_;
  std::deque<std::vector<double>> payloads_;
  std::vector<View> views_;
  std::vector<std::vector<std::size_t>> hearing_broadcasts_;  // by sender: which views hear its broadcasts
};

}  // namespace earshot
