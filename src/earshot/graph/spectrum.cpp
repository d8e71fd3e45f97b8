#include "earshot/graph/spectrum.hpp"

#include <algorithm>
#include <cmath>

#include "earshot/core/error.hpp"
#include "earshot/graph/eigensolve.hpp"
#include "earshot/graph/mixing.hpp"

namespace earshot {
namespace {

double weight_between(const GossipMatrix& matrix, NodeId u, NodeId v) {
  return matrix.weights(u)[matrix.graph().position(u, v).value()];
}

/// Is there a positive d with d_u W_uv = d_v W_vu on all edges? Then W is similar to a symmetric matrix, as
/// uniform_neighbour is through the degrees.
bool is_reversible(const GossipMatrix& matrix) {
  const Graph& graph = matrix.graph();
  std::vector<double> scale(matrix.node_count(), 0);
  std::vector<NodeId> queue;
  for (NodeId start = 0; start < scale.size(); ++start) {
    if (scale[start] != 0) continue;
    scale[start] = 1;
    queue.assign(1, start);
    for (std::size_t head = 0; head < queue.size(); ++head) {
      const NodeId u = queue[head];
      for (const NodeId v : graph.neighbours(u)) {
        const double out = weight_between(matrix, u, v);
        const double back = weight_between(matrix, v, u);
        if (out == 0 && back == 0) continue;
        const double expected = scale[u] * out / back;
        if (!(expected > 0) || !std::isfinite(expected)) return false;
        if (scale[v] == 0) {
          scale[v] = expected;
          queue.push_back(v);
        } else if (std::abs(scale[v] - expected) > 1e-10 * expected) {
          return false;
        }
      }
    }
  }
  return true;
}

/// W, or D^{1/2} W D^{-1/2}, whose entries are sign(W_uv) sqrt(W_uv W_vu) whatever D is.
SparseMatrix to_sparse(const GossipMatrix& matrix, bool symmetrise) {
  const auto size = static_cast<Eigen::Index>(matrix.node_count());
  std::vector<Eigen::Triplet<double>> entries;
  for (NodeId u = 0; u < matrix.node_count(); ++u) {
    entries.emplace_back(u, u, matrix.self_weight(u));
    for (const NodeId v : matrix.graph().neighbours(u)) {
      const double out = weight_between(matrix, u, v);
      const double back = weight_between(matrix, v, u);
      entries.emplace_back(u, v, symmetrise ? std::copysign(std::sqrt(out * back), out) : out);
    }
  }
  SparseMatrix sparse(size, size);
  sparse.setFromTriplets(entries.begin(), entries.end());
  return sparse;
}

/// A bound on all |eigenvalues|: the largest absolute row sum.
double spectral_radius_bound(const GossipMatrix& matrix) {
  double bound = 0;
  for (NodeId u = 0; u < matrix.node_count(); ++u) {
    double sum = std::abs(matrix.self_weight(u));
    for (const double weight : matrix.weights(u)) sum += std::abs(weight);
    bound = std::max(bound, sum);
  }
  return bound;
}

}  // namespace

double second_eigenvalue_modulus(const GossipMatrix& matrix) {
  if (matrix.node_count() <= 1) return 0;
  if (is_non_negative(matrix) && rows_sum_to_one(matrix) && !support_mixes(matrix)) return 1;
  if (is_reversible(matrix))
    return second_modulus_symmetric(to_sparse(matrix, true), spectral_radius_bound(matrix));
  return second_modulus_general(to_sparse(matrix, false));
}

double spectral_gap(const GossipMatrix& matrix) {
  return 1 - second_eigenvalue_modulus(matrix);
}

std::optional<std::size_t> mixing_time(const GossipMatrix& matrix, double factor) {
  if (!(factor > 0 && factor < 1)) fail(Fault::kInternal, "mixing_time needs a factor between 0 and 1");
  if (matrix.node_count() <= 1) return 0;
  const double modulus = second_eigenvalue_modulus(matrix);
  if (modulus >= 1) return std::nullopt;
  const double rounds = std::ceil(std::log(factor) / std::log(modulus));
  return std::max<std::size_t>(1, static_cast<std::size_t>(rounds));
}

}  // namespace earshot
