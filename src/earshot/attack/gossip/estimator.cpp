#include "earshot/attack/gossip/estimator.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <cmath>
#include <limits>

#include <lapacke.h>

#include "earshot/core/error.hpp"

namespace earshot {

Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& matrix, Eigen::Index rank) {
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(matrix);
  Eigen::MatrixXd projected = Eigen::MatrixXd::Identity(matrix.rows(), matrix.rows());
  projected.applyOnTheLeft(qr.householderQ().adjoint());
  const Eigen::MatrixXd upper = qr.matrixR().topRows(rank).template triangularView<Eigen::Upper>();
  const auto top = projected.topRows(rank);
  if (rank == matrix.cols()) {
    return qr.colsPermutation() * upper.template triangularView<Eigen::Upper>().solve(top);
  }
  // K = Q [R1 R2] P^T with rank rows: the minimum-norm solution of [R1 R2] z = b is Q2 L^{-T} b with [R1
  // R2]^T = Q2 L.
  const Eigen::HouseholderQR<Eigen::MatrixXd> transposed(upper.transpose());
  const Eigen::MatrixXd lower = transposed.matrixQR().topRows(rank).template triangularView<Eigen::Upper>();
  Eigen::MatrixXd solution = Eigen::MatrixXd::Zero(matrix.cols(), matrix.rows());
  solution.topRows(rank) = lower.transpose().template triangularView<Eigen::Lower>().solve(top);
  solution.applyOnTheLeft(transposed.householderQ());
  return qr.colsPermutation() * solution;
}

namespace {

/// Singular values (descending) and right singular vectors (rows of `right`) of a tall or square matrix.
struct RightSvd {
  Eigen::VectorXd values;
  Eigen::MatrixXd right;
};

RightSvd right_svd(const Eigen::MatrixXd& matrix) {
  const auto columns = static_cast<lapack_int>(matrix.cols());
  const auto small = static_cast<lapack_int>(std::min(matrix.rows(), matrix.cols()));
  Eigen::MatrixXd work = matrix;
  if (matrix.rows() > matrix.cols()) {
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(matrix);
    work = qr.matrixQR().topRows(matrix.cols()).template triangularView<Eigen::Upper>();
  }
  RightSvd svd{Eigen::VectorXd(small), Eigen::MatrixXd(small, columns)};
  Eigen::MatrixXd left(work.rows(), small);
  const lapack_int status =
      LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'S', static_cast<lapack_int>(work.rows()), columns, work.data(),
                     static_cast<lapack_int>(work.rows()), svd.values.data(), left.data(),
                     static_cast<lapack_int>(left.rows()), svd.right.data(), small);
  if (status != 0) fail(Fault::kNumeric, "the singular value decomposition did not converge");
  return svd;
}

/// Number of singular values a double-precision matrix of this size resolves above its own rounding.
Eigen::Index resolved_directions(const Eigen::VectorXd& values, double relative_cut) {
  Eigen::Index count = 0;
  while (count < values.size() && values[count] > relative_cut * values[0]) ++count;
  return count;
}

Eigen::MatrixXd truncated_inverse(const Eigen::MatrixXd& matrix, double cut) {
  const RightSvd svd = right_svd(matrix);
  const Eigen::Index kept = resolved_directions(svd.values, cut);
  // V_k diag(1/s^2) V_k^T K^T = V_k diag(1/s) U_k^T.
  const Eigen::MatrixXd v = svd.right.topRows(kept).transpose();
  const Eigen::VectorXd inverse = svd.values.head(kept).cwiseInverse();
  const Eigen::MatrixXd left = matrix * v * inverse.asDiagonal();  // U_k
  return v * inverse.asDiagonal() * left.transpose();
}

Eigen::MatrixXd generalised_inverse(const LinearSystem& system) {
  const Eigen::LLT<Eigen::MatrixXd> factor(system.covariance);
  if (factor.info() != Eigen::Success) fail(Fault::kNumeric, "the noise covariance is not positive definite");
  const auto lower = factor.matrixL();
  const Eigen::MatrixXd whitened = lower.solve(system.knowledge);
  const Eigen::MatrixXd inverse = pseudo_inverse(whitened, system.rank);
  // inverse * L^{-1} = (L^{-T} inverse^T)^T
  return factor.matrixU().solve(inverse.transpose()).transpose();
}

}  // namespace

Estimator make_estimator(const LinearSystem& system, EstimatorKind kind, double cut) {
  Estimator estimator;
  switch (kind) {
    case EstimatorKind::kLeastSquares:
      estimator.weights = pseudo_inverse(system.knowledge, system.rank);
      break;
    case EstimatorKind::kGeneralisedLeastSquares:
      estimator.weights = generalised_inverse(system);
      break;
    case EstimatorKind::kTruncatedSvd:
      estimator.weights = truncated_inverse(system.knowledge, cut);
      break;
  }
  const Eigen::MatrixXd spread = estimator.weights * system.covariance;
  estimator.standard_error = spread.cwiseProduct(estimator.weights).rowwise().sum().cwiseMax(0.0).cwiseSqrt();
  return estimator;
}

Eigen::VectorXd error_amplification(const Eigen::MatrixXd& knowledge) {
  if (knowledge.rows() == 0) {
    return Eigen::VectorXd::Constant(knowledge.cols(), std::numeric_limits<double>::infinity());
  }
  const RightSvd svd = right_svd(knowledge);
  const double resolution = static_cast<double>(std::max(knowledge.rows(), knowledge.cols())) *
                            std::numeric_limits<double>::epsilon();
  const Eigen::Index kept = resolved_directions(svd.values, resolution);
  const auto v = svd.right.topRows(kept);
  Eigen::VectorXd amplification(knowledge.cols());
  for (Eigen::Index column = 0; column < knowledge.cols(); ++column) {
    // What the resolved directions leave of the unit vector; rounding alone leaves about 1e-8 (the root of
    // epsilon).
    const double missed = std::sqrt(std::max(0.0, 1.0 - v.col(column).squaredNorm()));
    amplification[column] = missed > 1e-6 ? std::numeric_limits<double>::infinity()
                                          : v.col(column).cwiseQuotient(svd.values.head(kept)).norm();
  }
  return amplification;
}

}  // namespace earshot
