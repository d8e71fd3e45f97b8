// The input of a dense layer from its gradient: with the bias it is a ratio.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "earshot/attack/inversion/dense_part.hpp"

namespace earshot {

/// How a row is chosen, or rows are joined, to read the input off.
enum class DenseFit {
  kLargestBias,  // the row with the largest |db|
  kRankOne       // the best rank-one fit of [dW, db], which averages noise over all rows
};

/// What a dense layer saw, and the derivative of the loss by what it said.
struct DenseInput {
  std::vector<double> input;
  std::vector<double> adjoint;
};

/// For one record dW = d x^T and db = d, so x = dW_k / db_k for every row with db_k != 0 (Phong et al. 2017;
/// Biswas 2024, Lemma 6.1 for softmax). The same holds for any linear combination of gradients at different
/// parameters, since x is common to them: for the first layer a *difference* of gradients gives x as well
/// (Yu 2026 for logistic regression). Noise of deviation s on every entry gives x_i the error
/// s sqrt(1 + x_i^2) / |db_k|, with the rank-one fit s sqrt(1 + x_i^2) / |db|, to first order.
/// None when the layer has no bias, every db_k is zero (a dead layer or a fitted record shows nothing) or a
/// number is not finite.
std::optional<DenseInput> invert_dense(const DensePart& gradient, DenseFit fit);

/// The best rank-one approximation of a matrix: left^T matrix for the leading left singular vector (unit
/// length), and that vector.
struct RankOne {
  Eigen::VectorXd left;
  Eigen::VectorXd right;
};
RankOne rank_one(const RowMatrixXd& matrix);

/// A record that rows of a batch's gradient show by themselves.
struct RevealedRecord {
  std::vector<double> input;
  std::vector<std::size_t> rows;  // which give this input, the strongest first
};

/// Row h of the gradient of a batch is sum_s d_sh [x_s, 1]: a ReLU unit that only record s switches on shows
/// x_s = dW_h / db_h. Different mixtures of records agree only by accident, so an input that two rows agree
/// on is a record; one that a single row gives may be a mixture. Most rows first, then the larger |db|. Rows
/// agree when no entry differs by more than `tolerance` times the larger of 1 and the row's largest entry.
std::vector<RevealedRecord> revealed_records(const DensePart& gradient, double tolerance = 1e-8);

/// One after the other, as many records as the batch has: those that most rows agree on, two at least and
/// more than on any other, since a few of many mixtures agree by accident. Of a difference of gradients as
/// well: what is said above holds for units that are on for one record at both points.
std::optional<std::vector<double>> agreed_records(const DensePart& gradient, std::size_t batch);

}  // namespace earshot
