#include <cmath>

#include <fmt/format.h>

#include "earshot/graph/gossip_matrix.hpp"
#include "earshot/graph/mixing.hpp"
#include "earshot/graph/spectrum.hpp"

namespace earshot {
namespace {

/// The weight `from` gives `to`; they are neighbours.
const Rational& weight_of(const GossipMatrix& matrix, NodeId from, NodeId to) {
  return matrix.edge_weights(from)[matrix.graph().position(from, to).value()];
}

bool is_symmetric(const GossipMatrix& matrix) {
  for (const auto& [u, v] : matrix.graph().edges()) {
    if (weight_of(matrix, u, v) != weight_of(matrix, v, u)) return false;
  }
  return true;
}

/// In rows that sum to one, column v does too if and only if v receives as much weight as it gives away.
bool columns_sum_to_one(const GossipMatrix& matrix) {
  for (NodeId v = 0; v < matrix.node_count(); ++v) {
    ExactSum balance;
    double rounded = 0;
    for (const NodeId u : matrix.graph().neighbours(v)) {
      const Rational& in = weight_of(matrix, u, v);
      const Rational& out = weight_of(matrix, v, u);
      if (in == out) continue;
      balance.add(in);
      balance.subtract(out);
      rounded += in.value() - out.value();
    }
    if (balance.fits() ? balance.sign() != 0 : std::abs(rounded) > kWeightTolerance) return false;
  }
  return true;
}

}  // namespace

WeightCheck check_weights(const GossipMatrix& matrix) {
  WeightCheck check;
  const bool rows = rows_sum_to_one(matrix);
  check.non_negative = is_non_negative(matrix);
  check.symmetric = is_symmetric(matrix);
  check.row_stochastic = check.non_negative && rows;
  check.doubly_stochastic = check.row_stochastic && columns_sum_to_one(matrix);
  check.mixes = check.row_stochastic ? support_mixes(matrix)
                                     : is_connected(matrix.graph()) &&
                                           second_eigenvalue_modulus(matrix) < 1 - kWeightTolerance;
  if (!check.non_negative) check.problems.emplace_back("a weight is negative");
  if (!rows)
    check.problems.emplace_back(
        "a row does not sum to exactly one; write weights as fractions or leave the diagonal out");
  if (check.row_stochastic && !check.doubly_stochastic)
    check.problems.emplace_back("a column does not sum to one: gossip reaches a weighted mean, not the mean");
  if (!check.mixes)
    check.problems.emplace_back(
        "the weights do not mix: the graph is cut in parts or gossip swings for ever");
  return check;
}

}  // namespace earshot
