// Linear estimators of the targets' values from an adversary's system K x = y, and how far they can be
// trusted.
#pragma once

#include <Eigen/Core>

namespace earshot {

enum class EstimatorKind {
  kLeastSquares,             // minimum-norm ordinary least squares
  kGeneralisedLeastSquares,  // weighted by the exact covariance of the messages
  kTruncatedSvd              // directions below `cut` times the largest singular value are given up
};

/// x_hat = weights * y.
struct Estimator {
  Eigen::MatrixXd weights;
  /// Standard deviation of each estimated coordinate per unit of noise, under the covariance of the system.
  Eigen::VectorXd standard_error;
};

/// K x = y + noise, Cov(noise) = covariance up to scale. `rank` is the exact rank of K: it is decided over
/// prime fields, not guessed from rounding.
struct LinearSystem {
  Eigen::MatrixXd knowledge;
  Eigen::MatrixXd covariance;
  Eigen::Index rank = 0;
};

inline constexpr double kTruncation = 1e-12;

Estimator make_estimator(const LinearSystem& system, EstimatorKind kind, double cut = kTruncation);

/// The minimum-norm pseudo-inverse of a matrix of known rank, by column-pivoted Householder QR (never by
/// normal equations, which square a condition number that already reaches 1e11 on a line of 30 nodes).
Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& matrix, Eigen::Index rank);

/// Error amplification per column of K: the standard deviation of the best estimate per unit of independent
/// noise on every message, over the directions double precision can resolve. Infinite where a column depends
/// on directions below that resolution: identifiable in exact arithmetic, not from 64-bit messages.
Eigen::VectorXd error_amplification(const Eigen::MatrixXd& knowledge);

}  // namespace earshot
