#include "earshot/accounting/network/published_formula.hpp"

#include <algorithm>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

void require_observer(const Graph& graph, NodeId observer) {
  if (observer >= graph.node_count()) fail(Fault::kConfig, "the observer is not in the graph");
}

void add_message_losses(const std::vector<double>& row, std::vector<double>& losses) {
  double squared_norm = 0;
  for (const double weight : row) squared_norm += weight * weight;
  if (squared_norm == 0) return;
  for (std::size_t u = 0; u < row.size(); ++u) losses[u] += row[u] * row[u] / squared_norm;
}

}  // namespace

std::vector<std::vector<double>> muffliato_pairwise_curve_as_published(const GossipMatrix& matrix,
                                                                       NodeId observer, std::size_t rounds) {
  require_observer(matrix.graph(), observer);
  const std::size_t nodes = matrix.node_count();
  std::vector<std::vector<double>> rows;
  for (const NodeId neighbour : matrix.graph().neighbours(observer))
    rows.emplace_back(nodes, 0.0)[neighbour] = 1;
  std::vector<std::vector<double>> curve;
  std::vector<double> losses(nodes, 0.0), next(nodes);
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::vector<double>& row : rows) {
      add_message_losses(row, losses);
      matrix.multiply_transposed(row, next);
      row.swap(next);
    }
    curve.push_back(losses);
    curve.back()[observer] = 0;
  }
  return curve;
}

std::vector<double> muffliato_pairwise_as_published(const GossipMatrix& matrix, NodeId observer,
                                                    std::size_t rounds) {
  if (rounds == 0) fail(Fault::kConfig, "the published formula needs at least one round");
  return muffliato_pairwise_curve_as_published(matrix, observer, rounds).back();
}

std::vector<double> muffliato_random_graph_as_published(const Graph& graph, NodeId observer,
                                                        std::size_t gossip_rounds) {
  require_observer(graph, observer);
  if (gossip_rounds == 0) fail(Fault::kConfig, "the published formula needs at least one round");
  const auto nodes = static_cast<double>(graph.node_count());
  const auto degree = static_cast<double>(graph.degree(observer));
  const double far = std::min(1.0, 2 * static_cast<double>(gossip_rounds) * degree / (nodes - degree));
  std::vector<double> losses(graph.node_count(), far);
  for (const NodeId neighbour : graph.neighbours(observer)) losses[neighbour] = 1;
  losses[observer] = 0;
  return losses;
}

}  // namespace earshot
