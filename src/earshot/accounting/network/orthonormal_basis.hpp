// An orthonormal basis that grows block by block, its size dictated by exact arithmetic.
#pragma once

#include <Eigen/Core>

namespace earshot {

/// How well the directions of a basis are resolved in double precision.
struct NumericalCondition {
  /// The smallest part of a candidate, relative to the largest candidate of its block, that was new.
  double smallest_residual = 1;
  /// Directions that exact arithmetic says exist but whose new part is no larger than rounding: what the
  /// basis holds in their place is noise, and so are leverages that depend on them.
  std::size_t unresolved = 0;

  void merge(const NumericalCondition& other);
};

/// Block Gram-Schmidt, repeated ("twice is enough": Giraud, Langou & Rozloznik 2005), with a rank-revealing
/// QR factorisation inside the block.
class OrthonormalBasis {
 public:
  OrthonormalBasis(Eigen::Index rows, Eigen::Index capacity) : columns_(rows, capacity) {}

  /// Extends the space by the candidates' `directions` most independent new directions and returns them.
  Eigen::Ref<const Eigen::MatrixXd> append(Eigen::MatrixXd candidates, Eigen::Index directions);

  Eigen::Index size() const { return size_; }
  Eigen::Ref<const Eigen::MatrixXd> columns() const { return columns_.leftCols(size_); }
  const NumericalCondition& condition() const { return condition_; }

 private:
  void remove_known(Eigen::MatrixXd& block) const;
  void note_residual(double relative);

  Eigen::MatrixXd columns_;
  Eigen::Index size_ = 0;
  NumericalCondition condition_;
};

}  // namespace earshot
