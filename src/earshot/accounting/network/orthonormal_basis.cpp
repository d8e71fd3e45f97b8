#include "earshot/accounting/network/orthonormal_basis.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <limits>

#include <cblas.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

Eigen::MatrixXd leading_directions(const Eigen::HouseholderQR<Eigen::MatrixXd>& qr, Eigen::Index count) {
  return qr.householderQ() * Eigen::MatrixXd::Identity(qr.rows(), count);
}

}  // namespace

void NumericalCondition::merge(const NumericalCondition& other) {
  smallest_residual = std::min(smallest_residual, other.smallest_residual);
  unresolved += other.unresolved;
}

/// block -= known known^T block. BLAS rather than Eigen's kernels: this is where the time goes, and a BLAS
/// picks the widest vector instructions at run time.
void OrthonormalBasis::remove_known(Eigen::MatrixXd& block) const {
  if (size_ == 0) return;
  const auto rows = static_cast<int>(columns_.rows());
  const auto known = static_cast<int>(size_);
  const auto width = static_cast<int>(block.cols());
  Eigen::MatrixXd coefficients(size_, block.cols());
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, known, width, rows, 1.0, columns_.data(), rows,
              block.data(), rows, 0.0, coefficients.data(), known);
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, rows, width, known, -1.0, columns_.data(), rows,
              coefficients.data(), known, 1.0, block.data(), rows);
}

void OrthonormalBasis::note_residual(double relative) {
  const double rounding = 16 * static_cast<double>(columns_.rows()) * std::numeric_limits<double>::epsilon();
  condition_.smallest_residual = std::min(condition_.smallest_residual, relative);
  if (relative <= rounding) ++condition_.unresolved;
}

Eigen::Ref<const Eigen::MatrixXd> OrthonormalBasis::append(Eigen::MatrixXd candidates,
                                                           Eigen::Index directions) {
  if (directions > candidates.cols() || size_ + directions > columns_.cols())
    fail(Fault::kInternal, "more directions than candidates or room for them");
  if (directions > 0) {
    const double scale = candidates.colwise().norm().maxCoeff();
    remove_known(candidates);
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> pivoted(candidates);
    for (Eigen::Index i = 0; i < directions; ++i) note_residual(std::abs(pivoted.matrixR()(i, i)) / scale);
    Eigen::MatrixXd fresh = pivoted.householderQ() * Eigen::MatrixXd::Identity(candidates.rows(), directions);
    remove_known(fresh);
    columns_.middleCols(size_, directions) =
        leading_directions(Eigen::HouseholderQR<Eigen::MatrixXd>(fresh), directions);
    size_ += directions;
  }
  return columns_.middleCols(size_ - directions, directions);
}

}  // namespace earshot
