#include "earshot/graph/mixing.hpp"

#include <cmath>
#include <numeric>

namespace earshot {
namespace {

constexpr std::int64_t kUnseen = -1;

/// The directed graph of positive weights, without the diagonal: u -> v when u listens to v.
struct Support {
  std::vector<std::vector<NodeId>> listens_to;
  std::vector<std::vector<NodeId>> heard_by;
};

Support support_of(const GossipMatrix& matrix) {
  const std::size_t nodes = matrix.node_count();
  Support support{std::vector<std::vector<NodeId>>(nodes), std::vector<std::vector<NodeId>>(nodes)};
  for (NodeId u = 0; u < nodes; ++u) {
    const auto neighbours = matrix.graph().neighbours(u);
    const auto weights = matrix.edge_weights(u);
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      if (weights[i].numerator <= 0) continue;
      support.listens_to[u].push_back(neighbours[i]);
      support.heard_by[neighbours[i]].push_back(u);
    }
  }
  return support;
}

/// Breadth-first levels from `start` into `level` (kUnseen: not reached yet); returns the nodes newly
/// reached.
std::vector<NodeId> spread(const std::vector<std::vector<NodeId>>& next, NodeId start,
                           std::vector<std::int64_t>& level) {
  std::vector<NodeId> reached{start};
  level[start] = 0;
  for (std::size_t head = 0; head < reached.size(); ++head) {
    for (const NodeId to : next[reached[head]]) {
      if (level[to] != kUnseen) continue;
      level[to] = level[reached[head]] + 1;
      reached.push_back(to);
    }
  }
  return reached;
}

/// A node everyone listens to, directly or through others; none if there are two closed classes.
std::optional<NodeId> common_source(const Support& support) {
  const std::size_t nodes = support.heard_by.size();
  std::vector<std::int64_t> level(nodes, kUnseen);
  NodeId last = 0;
  for (NodeId start = 0; start < nodes; ++start) {
    if (level[start] != kUnseen) continue;
    spread(support.heard_by, start, level);
    last = start;  // if any node reaches all, the last new start does
  }
  std::fill(level.begin(), level.end(), kUnseen);
  return spread(support.heard_by, last, level).size() == nodes ? std::optional(last) : std::nullopt;
}

}  // namespace

int self_weight_sign(const GossipMatrix& matrix, NodeId node) {
  if (const auto& own = matrix.exact_diagonal(node))
    return own->numerator < 0 ? -1 : own->numerator > 0 ? 1 : 0;
  ExactSum rest;
  rest.add(Rational{1, 1});
  for (const Rational& weight : matrix.edge_weights(node)) rest.subtract(weight);
  if (rest.fits()) return rest.sign();
  const double rounded = matrix.self_weight(node);
  return std::abs(rounded) <= kWeightTolerance ? 0 : rounded < 0 ? -1 : 1;
}

bool is_non_negative(const GossipMatrix& matrix) {
  for (NodeId u = 0; u < matrix.node_count(); ++u) {
    for (const Rational& weight : matrix.edge_weights(u)) {
      if (weight.numerator < 0) return false;
    }
    if (self_weight_sign(matrix, u) < 0) return false;
  }
  return true;
}

bool rows_sum_to_one(const GossipMatrix& matrix) {
  for (NodeId u = 0; u < matrix.node_count(); ++u) {
    const auto& own = matrix.exact_diagonal(u);
    if (!own) continue;  // such a row sums to one by definition
    ExactSum excess;
    excess.subtract(Rational{1, 1});
    excess.add(*own);
    double rounded = own->value() - 1;
    for (const Rational& weight : matrix.edge_weights(u)) {
      excess.add(weight);
      rounded += weight.value();
    }
    if (excess.fits() ? excess.sign() != 0 : std::abs(rounded) > kWeightTolerance) return false;
  }
  return true;
}

bool support_mixes(const GossipMatrix& matrix) {
  if (matrix.node_count() == 0) return true;
  const Support support = support_of(matrix);
  const auto source = common_source(support);
  if (!source) return false;
  std::vector<std::int64_t> level(matrix.node_count(), kUnseen);
  const std::vector<NodeId> closed = spread(support.listens_to, *source, level);
  std::int64_t period = 0;  // of the closed class: gcd of all its cycle lengths
  for (const NodeId u : closed) {
    if (self_weight_sign(matrix, u) > 0) return true;
    for (const NodeId v : support.listens_to[u]) period = std::gcd(period, level[u] + 1 - level[v]);
  }
  return period == 1;
}

}  // namespace earshot
