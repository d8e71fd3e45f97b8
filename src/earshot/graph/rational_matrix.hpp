// For tests: matrices over the rationals, on which oracles compute exactly. Needs FLINT.
#pragma once

#include <flint/fmpq.h>
#include <flint/fmpq_mat.h>

#include "earshot/graph/gossip_matrix.hpp"

namespace earshot::testing {

class RationalMatrix {
 public:
  RationalMatrix(std::size_t rows, std::size_t columns) {
    fmpq_mat_init(value_, static_cast<slong>(rows), static_cast<slong>(columns));
  }
  RationalMatrix(const RationalMatrix& other) : RationalMatrix(other.rows(), other.columns()) {
    fmpq_mat_set(value_, other.value_);
  }
  RationalMatrix& operator=(const RationalMatrix& other) {
    if (this != &other) {
      fmpq_mat_clear(value_);
      fmpq_mat_init_set(value_, other.value_);
    }
    return *this;
  }
  ~RationalMatrix() { fmpq_mat_clear(value_); }

  std::size_t rows() const { return static_cast<std::size_t>(fmpq_mat_nrows(value_)); }
  std::size_t columns() const { return static_cast<std::size_t>(fmpq_mat_ncols(value_)); }
  fmpq_mat_struct* get() { return value_; }
  const fmpq_mat_struct* get() const { return value_; }
  fmpq* at(std::size_t i, std::size_t j) {
    return fmpq_mat_entry(value_, static_cast<slong>(i), static_cast<slong>(j));
  }
  const fmpq* at(std::size_t i, std::size_t j) const {
    return fmpq_mat_entry(value_, static_cast<slong>(i), static_cast<slong>(j));
  }
  double value(std::size_t i, std::size_t j) const { return fmpq_get_d(at(i, j)); }
  bool is_one(std::size_t i, std::size_t j) const { return fmpq_is_one(at(i, j)) != 0; }

 private:
  fmpq_mat_t value_;
};

inline RationalMatrix product(const RationalMatrix& a, const RationalMatrix& b) {
  RationalMatrix c(a.rows(), b.columns());
  fmpq_mat_mul(c.get(), a.get(), b.get());
  return c;
}
inline RationalMatrix transposed(const RationalMatrix& a) {
  RationalMatrix c(a.columns(), a.rows());
  fmpq_mat_transpose(c.get(), a.get());
  return c;
}
inline RationalMatrix identity(std::size_t n) {
  RationalMatrix c(n, n);
  fmpq_mat_one(c.get());
  return c;
}

/// W with every entry; a diagonal entry not given is what is left of its row.
inline RationalMatrix dense(const GossipMatrix& matrix) {
  RationalMatrix w(matrix.node_count(), matrix.node_count());
  for (NodeId u = 0; u < matrix.node_count(); ++u) {
    fmpq_one(w.at(u, u));
    const auto neighbours = matrix.graph().neighbours(u);
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      const Rational& weight = matrix.edge_weights(u)[i];
      fmpq_set_si(w.at(u, neighbours[i]), weight.numerator, static_cast<ulong>(weight.denominator));
      fmpq_sub(w.at(u, u), w.at(u, u), w.at(u, neighbours[i]));
    }
    if (const auto& own = matrix.exact_diagonal(u))
      fmpq_set_si(w.at(u, u), own->numerator, static_cast<ulong>(own->denominator));
  }
  return w;
}

}  // namespace earshot::testing
