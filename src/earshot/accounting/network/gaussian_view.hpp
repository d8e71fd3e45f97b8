// Any view that is linear in the signals and Gaussian in the noise: its exact loss, correlations included.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <vector>

namespace earshot {

/// Y = B g + sigma C zeta with independent unit noises zeta. A column of B is one participant's contribution
/// at one step. This is the matrix-factorisation view of decentralised learning of Bellet, Cyffers, Frey,
/// Gaudel, Lereverend & Taiani 2025 (arXiv 2510.17480), O = A G + B Z there.
struct GaussianView {
  Eigen::MatrixXd signal;                 // B
  Eigen::MatrixXd noise;                  // C
  std::optional<std::size_t> noise_rank;  // rank of C when the builder knows it exactly
};

/// H = B^T (C C^T)^+ B: two contributions that differ by D cost mu^2 = tr(D^T H D) / sigma^2, because
/// Gaussians with equal covariance and mean difference m are mu-GDP with mu^2 = m^T covariance^+ m.
struct GaussianGram {
  Eigen::MatrixXd gram;
  /// Contributions with a component no noise covers (outside the range of C): it is seen as it is.
  std::vector<bool> uncovered;
};
GaussianGram gaussian_gram(const GaussianView& view);

/// mu^2 in units of sensitivity^2 / sigma^2 of a participant who contributes at several steps, each change
/// having norm at most the sensitivity: the truth lies between `attained`, the loss of one such change, and
/// `bound`, the smaller of sum |H_st| and (number of steps) x (largest eigenvalue of H). Both are infinite
/// without guarantee.
struct SquaredLoss {
  double attained = 0;
  double bound = 0;
  /// The bound is attained, for instance when there is one step or no H_st is negative.
  bool exact() const { return bound <= attained * (1 + 1e-12); }
};
SquaredLoss squared_loss(const GaussianGram& gram, std::span<const std::size_t> columns);

}  // namespace earshot
