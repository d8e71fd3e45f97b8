#include "earshot/attack/inversion/softmax_inversion.hpp"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace earshot {
namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The right factor of the best rank-one fit u v^T of [dM, db], scaled so that its last entry (the bias
/// input) is 1.
std::optional<Eigen::VectorXd> rank_one_input(const RowMatrix& with_bias) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(with_bias * with_bias.transpose());
  const Eigen::VectorXd left = solver.eigenvectors().rightCols(1);
  const Eigen::VectorXd right = with_bias.transpose() * left;
  const double bias = right[right.size() - 1];
  if (bias == 0) return std::nullopt;
  return Eigen::VectorXd(right / bias);
}

}  // namespace

std::optional<InvertedRecord> invert_softmax_gradient(std::span<const double> gradient,
                                                      std::size_t input_size, std::size_t class_count,
                                                      SoftmaxInversion kind) {
  const bool finite =
      std::all_of(gradient.begin(), gradient.end(), [](double g) { return std::isfinite(g); });
  const auto biases = gradient.subspan(input_size * class_count, class_count);
  const auto largest = static_cast<std::size_t>(
      std::max_element(biases.begin(), biases.end(),
                       [](double a, double b) { return std::abs(a) < std::abs(b); }) -
      biases.begin());
  if (!finite || biases[largest] == 0) return std::nullopt;

  InvertedRecord record;
  record.label = static_cast<std::size_t>(std::min_element(biases.begin(), biases.end()) - biases.begin());
  if (kind == SoftmaxInversion::kLargestBias) {
    const auto row = gradient.subspan(largest * input_size, input_size);
    record.input.resize(input_size);
    std::transform(row.begin(), row.end(), record.input.begin(),
                   [&](double g) { return g / biases[largest]; });
    return record;
  }
  const auto rows = static_cast<Eigen::Index>(class_count);
  const auto columns = static_cast<Eigen::Index>(input_size);
  RowMatrix with_bias(rows, columns + 1);
  with_bias.leftCols(columns) = Eigen::Map<const RowMatrix>(gradient.data(), rows, columns);
  with_bias.col(columns) = Eigen::Map<const Eigen::VectorXd>(biases.data(), rows);
  const auto input = rank_one_input(with_bias);
  if (!input) return std::nullopt;
  record.input.assign(input->begin(), input->begin() + columns);
  return record;
}

}  // namespace earshot
