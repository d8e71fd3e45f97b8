// Gossip weights, kept as the exact rationals they are: identifiability is decided by arithmetic, not by
// rounding.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "earshot/core/schema.hpp"
#include "earshot/graph/graph.hpp"
#include "earshot/graph/rational.hpp"
#include "earshot/graph/sources.hpp"

namespace earshot {

/// W with support on the edges and the diagonal. A diagonal entry without explicit value is one minus the
/// other entries of its row: written out, its common denominator would overflow any machine integer on a
/// social graph.
class GossipMatrix {
 public:
  /// `edge_weights[first_slot(u) + i]` is the weight u gives to its i-th neighbour; `diagonal` is empty or
  /// per node.
  GossipMatrix(Graph graph, std::vector<Rational> edge_weights,
               std::vector<std::optional<Rational>> diagonal = {});

  const Graph& graph() const { return graph_; }
  std::size_t node_count() const { return graph_.node_count(); }

  /// Exact weights u gives its neighbours, in the order of graph().neighbours(u).
  std::span<const Rational> edge_weights(NodeId node) const;
  const std::optional<Rational>& exact_diagonal(NodeId node) const { return diagonal_[node]; }

  /// The same weights in double.
  std::span<const double> weights(NodeId node) const;
  double self_weight(NodeId node) const { return self_weights_[node]; }

  /// out = W in, for a vector of one number per node.
  void multiply(std::span<const double> in, std::span<double> out) const;
  /// out = W^T in, i.e. the row vector in^T W: how a row of the knowledge matrix advances one round.
  void multiply_transposed(std::span<const double> in, std::span<double> out) const;

 private:
  Graph graph_;
  std::vector<Rational> edge_weights_;
  std::vector<std::optional<Rational>> diagonal_;
  std::vector<double> weights_;
  std::vector<double> self_weights_;
};

/// W_uv = 1 / (1 + max(deg u, deg v)) (Metropolis-Hastings; Xiao & Boyd 2004).
GossipMatrix metropolis_weights(const Graph& graph);
/// W = I - L / d_max (max-degree Laplacian): W_uv = 1 / d_max on edges.
GossipMatrix max_degree_weights(const Graph& graph);
/// W_uv = 1 / (deg u + 1), row- but not doubly stochastic: consensus is a degree-weighted mean.
GossipMatrix uniform_neighbour_weights(const Graph& graph);
/// (I + W) / 2.
GossipMatrix lazy(const GossipMatrix& matrix);
/// Lines "u v weight" over the nodes of `graph`: u v directed, u = v for the diagonal, weights as 1/3, 0.25
/// or 5e-3. Every direction of every edge must be given (0 is allowed); a node without diagonal line keeps
/// what is left of one.
GossipMatrix parse_weights(const Graph& graph, std::string_view text, const std::string& origin);

/// What can be said of W before it is used. Sums are compared with one exactly as long as their common
/// denominator fits 128 bits, else to 1e-12.
struct WeightCheck {
  bool non_negative = false;
  bool symmetric = false;
  bool row_stochastic = false;     // non-negative, rows sum to one: gossip reaches some consensus
  bool doubly_stochastic = false;  // columns too: the consensus is the mean
  bool mixes = false;              // connected and second-largest |eigenvalue| < 1
  /// One sentence per property missing for averaging; empty for a doubly stochastic W that mixes.
  std::vector<std::string> problems;
};
WeightCheck check_weights(const GossipMatrix& matrix);

/// `weights` components by name: metropolis, max_degree, uniform_neighbour (each also lazy_...), file.
struct WeightsComponent {
  Schema schema;
  GossipMatrix (*make)(const Graph&, const Settings&, const GraphSources&);
};
std::span<const WeightsComponent> weights_components();

}  // namespace earshot
