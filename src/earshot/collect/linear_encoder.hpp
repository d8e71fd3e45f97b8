// Task-adaptive local privacy in closed form: linear encoder, Laplace noise, linear decoder, linear task.
#pragma once

#include <Eigen/Core>
#include <cstddef>

#include "earshot/collect/laplace_release.hpp"

namespace earshot {

// Notation of Cheng, Tang & Chinchali 2022 (Task-aware privacy preservation for multi-dimensional data).
// Records x are columns; the task is y = K x; h = Omega^-1 (x - mean) is white, P = K Omega, and the loss of
// an estimate is E ||P (h^ - h)||^2 = E ||K (x^ - x)||^2. docs/local-dp.md derives what is computed here.

/// A linear task seen in whitened coordinates, along the eigenvectors of P^T P.
struct WhitenedTask {
  Eigen::VectorXd mean;
  Eigen::MatrixXd to_principal;  // rank x n: Q^T Omega^-1, so that principal = to_principal (x - mean)
  Eigen::VectorXd eigenvalues;   // of P^T P, descending, one per principal axis
  double radius = 0;             // largest ||h|| of the records it was computed from

  /// One column per record; the columns are white on the records it was computed from.
  Eigen::MatrixXd principal(const Eigen::MatrixXd& records) const;
};

/// Directions in which the records do not vary are dropped.
WhitenedTask whiten(const Eigen::MatrixXd& records, const Eigen::MatrixXd& task);

/// How encoder weight is spread over principal axes: phi_i = weights_i * principal_i for i < latent.
struct Allocation {
  Eigen::VectorXd weights;  // sum of squares 1
  std::size_t latent = 0;   // axes with weight
  double loss = 0;          // expected loss if the sensitivity is that of the ball
};

/// The best encoder when h is only known to lie in a ball and noise has variance s per unit of encoder
/// weight, s = 8 radius^2 / epsilon^2: water-filling on the square roots of the eigenvalues.
Allocation allocate(const Eigen::VectorXd& eigenvalues, double s);

/// Expected loss of phi = h (no axis preferred), and of the `latent` first principal axes with equal weight.
double task_unaware_loss(const Eigen::VectorXd& eigenvalues, double s);
double privacy_unaware_loss(const Eigen::VectorXd& eigenvalues, std::size_t latent, double s);

/// tr(P^T P (I + E^T E / variance)^-1), the expected loss of the encoder phi = E h with the best decoder.
double encoder_loss(const Eigen::MatrixXd& gram, const Eigen::MatrixXd& encoder, double variance);
/// E^T (E E^T + variance I)^-1, the linear decoder of least expected loss.
Eigen::MatrixXd optimal_decoder(const Eigen::MatrixXd& encoder, double variance);

/// s of the ball of that radius; half of it with the published noise.
double ball_noise(double radius, const NoiseRule& rule);

/// The allocation for radius c * task.radius with the c in (0, 1] of least expected loss on the training
/// records when noise is calibrated to their own L1 diameter, or to that of the domain fixed on them. The
/// ball that holds all records is far too cautious: most records are much nearer, and it makes the closed
/// form give up all axes but one.
struct EffectiveAllocation {
  Allocation allocation;
  double factor = 1;      // c
  double train_loss = 0;  // expected, over the noise
};
EffectiveAllocation allocate_on_records(const WhitenedTask& task, const Eigen::MatrixXd& records,
                                        const NoiseRule& rule, const std::optional<DomainRule>& domain = {});

/// x^ = offset + matrix phi~: the affine decoder of least expected squared error for encoded training records
/// (clipped or not) plus noise of that variance. Least for every linear task at once.
struct AffineDecoder {
  Eigen::MatrixXd matrix;
  Eigen::VectorXd offset;
  Eigen::MatrixXd decode(const Eigen::MatrixXd& latent) const;
};
AffineDecoder fit_decoder(const Eigen::MatrixXd& records, const Eigen::MatrixXd& latent, double variance);

}  // namespace earshot
