// Who talks to whom, and how much weight nodes give to what they hear: one graph for good, or a random one
// for every round of training.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "earshot/graph/gossip_matrix.hpp"
#include "earshot/network/topology.hpp"
#include "earshot/protocol/gossip_averaging.hpp"

namespace earshot {

/// A topology whose rows of weights sum to one.
class MixingTopology : public Topology {
 public:
  /// In the round entered last.
  virtual MixingRow row(NodeId node) const = 0;
  /// Reasons why the nodes may not reach the mean.
  virtual std::vector<std::string> warnings() const = 0;
  /// The weights of a round of training as exact numbers, for whoever reasons about a run afterwards.
  virtual GossipMatrix matrix(Round training_round) const = 0;
  /// Whether all rounds have the same.
  virtual bool fixed() const = 0;
};

class FixedMixing : public MixingTopology {
 public:
  /// `matrix` must outlive the topology.
  explicit FixedMixing(const GossipMatrix& matrix) : matrix_(matrix) {}
  void enter(Round) override {}
  const Graph& graph() const override { return matrix_.graph(); }
  MixingRow row(NodeId node) const override { return {matrix_.self_weight(node), matrix_.weights(node)}; }
  std::vector<std::string> warnings() const override { return check_weights(matrix_).problems; }
  GossipMatrix matrix(Round) const override { return matrix_; }
  bool fixed() const override { return true; }

 private:
  const GossipMatrix& matrix_;
};

struct RandomMixingOptions {
  std::size_t nodes = 0;
  double edge_probability = 0;
  bool connected = false;  // draw again until the graph is connected
  Round exchanges = 1;     // rounds of the network that keep one graph
  std::uint64_t seed = 1;
  std::uint64_t trial = 0;
};

/// A fresh Erdos-Renyi graph G(n, q) for every round of training, with Metropolis weights
/// W_uv = 1 / (1 + max(deg u, deg v)); a node without neighbours keeps its value. Drawing takes time
/// proportional to nodes + edges. The graph of a round of training is addressed by its number.
class RandomMixing : public MixingTopology {
 public:
  explicit RandomMixing(const RandomMixingOptions& options);
  void enter(Round round) override;
  const Graph& graph() const override { return graph_; }
  MixingRow row(NodeId node) const override {
    return {self_weights_[node], std::span(weights_).subspan(graph_.first_slot(node), graph_.degree(node))};
  }
  std::vector<std::string> warnings() const override;
  GossipMatrix matrix(Round training_round) const override {
    return metropolis_weights(draw(training_round));
  }
  bool fixed() const override { return false; }

 private:
  Graph draw(Round training_round) const;
  void weigh();

  RandomMixingOptions options_;
  std::optional<Round> drawn_for_;  // round of training
  Graph graph_;
  std::vector<double> weights_;
  std::vector<double> self_weights_;
};

/// q = c ln n / n, the scale at which G(n, q) becomes connected (Erdos & Renyi 1960: for c > 1). Refuses
/// probabilities above 1.
double connecting_probability(double c, std::size_t nodes);
/// The share of nodes that a round leaves without neighbours: (1 - q)^(n - 1) in expectation.
double expected_isolated_share(double edge_probability, std::size_t nodes);

}  // namespace earshot
