#include "earshot/graph/gossip_matrix.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

/// One minus the other weights of the row, rounded once where 128 bits allow: a node that keeps nothing of
/// itself must get 0, not 1e-17.
double rest_of_row(std::span<const Rational> row) {
  ExactSum exact;
  exact.add(Rational{1, 1});
  long double rounded = 1;
  for (const Rational& weight : row) {
    exact.subtract(weight);
    rounded -= static_cast<long double>(weight.numerator) / static_cast<long double>(weight.denominator);
  }
  return exact.fits() ? exact.value() : static_cast<double>(rounded);
}

/// W from one function of (u, v) per directed edge.
template <class WeightOf>
std::vector<Rational> fill_edges(const Graph& graph, WeightOf weight_of) {
  std::vector<Rational> weights;
  weights.reserve(2 * graph.edge_count());
  for (NodeId u = 0; u < graph.node_count(); ++u) {
    for (const NodeId v : graph.neighbours(u)) weights.push_back(weight_of(u, v));
  }
  return weights;
}

Rational one_over(std::size_t count) {
  return make_rational(1, static_cast<std::int64_t>(count));
}

}  // namespace

GossipMatrix::GossipMatrix(Graph graph, std::vector<Rational> edge_weights,
                           std::vector<std::optional<Rational>> diagonal)
    : graph_(std::move(graph)), edge_weights_(std::move(edge_weights)), diagonal_(std::move(diagonal)) {
  const std::size_t nodes = graph_.node_count();
  if (diagonal_.empty()) diagonal_.resize(nodes);
  if (edge_weights_.size() != 2 * graph_.edge_count() || diagonal_.size() != nodes)
    fail(Fault::kInternal, fmt::format("{} edge weights and {} diagonal entries for {} edges and {} nodes",
                                       edge_weights_.size(), diagonal_.size(), graph_.edge_count(), nodes));
  weights_.reserve(edge_weights_.size());
  for (const Rational& weight : edge_weights_) weights_.push_back(weight.value());
  self_weights_.reserve(nodes);
  for (NodeId node = 0; node < nodes; ++node) {
    const auto& own = diagonal_[node];
    self_weights_.push_back(own ? own->value() : rest_of_row(this->edge_weights(node)));
  }
}

std::span<const Rational> GossipMatrix::edge_weights(NodeId node) const {
  return std::span(edge_weights_).subspan(graph_.first_slot(node), graph_.degree(node));
}

std::span<const double> GossipMatrix::weights(NodeId node) const {
  return std::span(weights_).subspan(graph_.first_slot(node), graph_.degree(node));
}

void GossipMatrix::multiply(std::span<const double> in, std::span<double> out) const {
  for (NodeId u = 0; u < node_count(); ++u) {
    const auto neighbours = graph_.neighbours(u);
    const auto row = weights(u);
    double sum = self_weights_[u] * in[u];
    for (std::size_t i = 0; i < neighbours.size(); ++i) sum += row[i] * in[neighbours[i]];
    out[u] = sum;
  }
}

void GossipMatrix::multiply_transposed(std::span<const double> in, std::span<double> out) const {
  for (NodeId u = 0; u < node_count(); ++u) out[u] = self_weights_[u] * in[u];
  for (NodeId u = 0; u < node_count(); ++u) {
    const auto neighbours = graph_.neighbours(u);
    const auto row = weights(u);
    for (std::size_t i = 0; i < neighbours.size(); ++i) out[neighbours[i]] += row[i] * in[u];
  }
}

GossipMatrix metropolis_weights(const Graph& graph) {
  return {graph, fill_edges(graph, [&](NodeId u, NodeId v) {
            return one_over(1 + std::max(graph.degree(u), graph.degree(v)));
          })};
}

GossipMatrix max_degree_weights(const Graph& graph) {
  const std::size_t largest = std::max<std::size_t>(1, graph.max_degree());
  std::vector<std::optional<Rational>> diagonal;
  for (NodeId u = 0; u < graph.node_count(); ++u)
    diagonal.push_back(make_rational(static_cast<std::int64_t>(largest - graph.degree(u)),
                                     static_cast<std::int64_t>(largest)));
  return {graph, fill_edges(graph, [&](NodeId, NodeId) { return one_over(largest); }), std::move(diagonal)};
}

GossipMatrix uniform_neighbour_weights(const Graph& graph) {
  std::vector<std::optional<Rational>> diagonal;
  for (NodeId u = 0; u < graph.node_count(); ++u) diagonal.push_back(one_over(1 + graph.degree(u)));
  return {graph, fill_edges(graph, [&](NodeId u, NodeId) { return one_over(1 + graph.degree(u)); }),
          std::move(diagonal)};
}

GossipMatrix lazy(const GossipMatrix& matrix) {
  std::vector<Rational> edges;
  std::vector<std::optional<Rational>> diagonal;
  for (NodeId u = 0; u < matrix.node_count(); ++u) {
    for (const Rational& weight : matrix.edge_weights(u)) edges.push_back(midpoint({0, 1}, weight));
    const auto& own = matrix.exact_diagonal(u);
    diagonal.push_back(own ? std::optional(midpoint({1, 1}, *own)) : std::nullopt);
  }
  return {matrix.graph(), std::move(edges), std::move(diagonal)};
}

}  // namespace earshot
