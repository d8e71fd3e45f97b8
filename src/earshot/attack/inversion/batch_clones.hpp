// When the mean gradient of a softmax layer over a batch determines the batch, and how far a clone may lie.
#pragma once

#include <cstddef>
#include <span>

#include "earshot/attack/inversion/dense_part.hpp"

namespace earshot {

/// Records are columns of X (n x k); the mean weight gradient of a softmax layer is (1/k) X pi with pi[s][j]
/// = p_j(x_s) - [j = y_s] (Biswas 2024, Lemma 6.8). `probabilities` is k x m, `labels` has k classes.
RowMatrixXd error_matrix(const RowMatrixXd& probabilities, std::span<const std::size_t> labels);

/// The smallest |pi_ss| - sum over the other labels t of the batch of |pi_st|, for distinct labels: the
/// probability a record leaves to classes that are not in the batch. Positive whenever k < m, and then the
/// columns of the batch's labels are a strictly diagonally dominant block: pi has full row rank and a right
/// inverse. (The thesis proves k = 2 and 3, Lemma 6.10, and conjectures the rest.)
double diagonal_dominance(const RowMatrixXd& probabilities, std::span<const std::size_t> labels);

/// How far a batch is from the assumptions of Theorem 6.9, under which it has no clone: that wrong classes
/// share what the true class leaves evenly (`uneven`, the largest |p_j - (1 - p_y)/(m - 1)|), and that all
/// records are fitted equally well (`unlike`, the range of p_y). (The thesis concludes that clones have the
/// same arrangement; its proof sums over m records where there are k < m, and then even the batch is unique.)
struct BatchDeviations {
  double uneven = 0;
  double unlike = 0;
};
BatchDeviations batch_deviations(const RowMatrixXd& probabilities, std::span<const std::size_t> labels);

/// pi^T (pi pi^T)^-1, k columns. Refuses dependent rows.
RowMatrixXd right_inverse(const RowMatrixXd& pi);

/// X' = X D for a batch clone X' with errors pi', D = pi pi'^-1 (Corollary 6.11).
RowMatrixXd clone_map(const RowMatrixXd& pi, const RowMatrixXd& clone_pi);

/// |x_s - x'_s| of every record under X' = X D (Theorem 6.12, for any k).
Eigen::VectorXd clone_distances(const RowMatrixXd& records, const RowMatrixXd& map);

}  // namespace earshot
