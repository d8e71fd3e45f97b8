// The oracle of this folder's tests: Gaussian views written out over the rationals, with every column and
// without any of the accountant's shortcuts.
#pragma once

#include <vector>

#include "earshot/graph/rational_matrix.hpp"
#include "earshot/threat/adversary.hpp"

namespace earshot::testing {

/// A view is a list of rows over the injected values.
class RationalView {
 public:
  explicit RationalView(std::size_t columns) : columns_(columns) {}
  void add_unit(std::size_t column) {
    RationalMatrix row(1, columns_);
    fmpq_one(row.at(0, column));
    rows_.push_back(row);
  }
  /// Row `index` of `coefficients`.
  void add_row(const RationalMatrix& coefficients, std::size_t index) {
    RationalMatrix row(1, columns_);
    for (std::size_t j = 0; j < columns_; ++j) fmpq_set(row.at(0, j), coefficients.at(index, j));
    rows_.push_back(row);
  }

  /// M^T Sigma^+ M with M = K and Sigma = K K^T: entry (s, t) is m_s^T Sigma^+ m_t for the mean shifts m_s,
  /// m_t that unit changes of the injected values s and t cause under unit noise on each of them.
  RationalMatrix gram() const {
    const std::vector<std::size_t> independent = independent_rows();
    RationalMatrix k(independent.size(), columns_);
    for (std::size_t i = 0; i < independent.size(); ++i) {
      for (std::size_t j = 0; j < columns_; ++j) fmpq_set(k.at(i, j), rows_[independent[i]].at(0, j));
    }
    // A dependent message is a function of the others, so its density adds nothing.
    const RationalMatrix covariance = product(k, transposed(k));
    RationalMatrix solved(independent.size(), columns_);
    if (!independent.empty()) fmpq_mat_solve(solved.get(), covariance.get(), k.get());
    return product(transposed(k), solved);
  }

 private:
  std::vector<std::size_t> independent_rows() const {
    RationalMatrix columns(columns_, rows_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      for (std::size_t j = 0; j < columns_; ++j) fmpq_set(columns.at(j, i), rows_[i].at(0, j));
    }
    const slong rank = fmpq_mat_rref(columns.get(), columns.get());
    std::vector<std::size_t> pivots;
    for (std::size_t r = 0, i = 0; r < static_cast<std::size_t>(rank); ++r) {
      while (fmpq_is_zero(columns.at(r, i))) ++i;
      pivots.push_back(i);
    }
    return pivots;
  }

  std::size_t columns_;
  std::vector<RationalMatrix> rows_;
};

/// The coalition's view of gossip after one injection: its members' values, and W_{t-1} ... W_0 z at every
/// node heard in round t. Diagonal of the Gram matrix: the loss of every node in units of
/// alpha Delta^2 / (2 sigma^2).
inline RationalMatrix gossip_gram(const std::vector<const GossipMatrix*>& round_matrices,
                                  const Adversary& adversary) {
  const std::size_t n = round_matrices.front()->node_count();
  RationalView view(n);
  for (const NodeId member : adversary.colluding) view.add_unit(member);
  RationalMatrix state = identity(n);
  for (const GossipMatrix* matrix : round_matrices) {
    for (const NodeId heard : heard_nodes(matrix->graph(), adversary)) view.add_row(state, heard);
    state = product(dense(*matrix), state);
  }
  return view.gram();
}

}  // namespace earshot::testing
