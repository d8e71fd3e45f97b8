#include "earshot/attack/inversion/dense_inversion.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "earshot/core/finite.hpp"

namespace earshot {
namespace {

Eigen::Index largest_entry(const Eigen::Ref<const Eigen::VectorXd>& numbers) {
  Eigen::Index at = 0;
  numbers.cwiseAbs().maxCoeff(&at);
  return at;
}

std::vector<double> to_vector(const Eigen::Ref<const Eigen::VectorXd>& numbers) {
  return {numbers.begin(), numbers.end()};
}

std::optional<DenseInput> by_rank_one(const DensePart& gradient) {
  RowMatrixXd with_bias(gradient.matrix().rows(), gradient.matrix().cols() + 1);
  with_bias << gradient.matrix(), gradient.bias_vector();
  const RankOne fit = rank_one(with_bias);
  const double bias = fit.right[fit.right.size() - 1];
  if (bias == 0) return std::nullopt;
  const Eigen::VectorXd input = fit.right.head(fit.right.size() - 1) / bias;
  return DenseInput{to_vector(input), to_vector(fit.left * bias)};
}

struct Ratio {
  Eigen::VectorXd input;
  double sum = 0;  // inputs that agree have nearly equal sums: spares most comparisons
  double scale = 1;
};

Ratio ratio(const DensePart& gradient, std::size_t row) {
  Ratio found;
  found.input = gradient.matrix().row(static_cast<Eigen::Index>(row)) / gradient.bias[row];
  found.sum = found.input.sum();
  found.scale = std::max(1.0, found.input.lpNorm<Eigen::Infinity>());
  return found;
}

bool agree(const Ratio& a, const Ratio& b, double tolerance) {
  const double apart = tolerance * std::max(a.scale, b.scale);
  if (std::abs(a.sum - b.sum) > apart * static_cast<double>(a.input.size())) return false;
  return (a.input - b.input).lpNorm<Eigen::Infinity>() <= apart;
}

}  // namespace

RankOne rank_one(const RowMatrixXd& matrix) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix * matrix.transpose());
  RankOne fit;
  fit.left = solver.eigenvectors().rightCols(1);
  fit.right = matrix.transpose() * fit.left;
  return fit;
}

std::optional<DenseInput> invert_dense(const DensePart& gradient, DenseFit fit) {
  check(gradient);
  if (gradient.bias.empty() || !all_finite(gradient.weights) || !all_finite(gradient.bias)) {
    return std::nullopt;
  }
  const Eigen::Index row = largest_entry(gradient.bias_vector());
  const double bias = gradient.bias_vector()[row];
  if (bias == 0) return std::nullopt;
  if (fit == DenseFit::kRankOne) return by_rank_one(gradient);
  const Eigen::VectorXd input = gradient.matrix().row(row) / bias;
  return DenseInput{to_vector(input), {gradient.bias.begin(), gradient.bias.end()}};
}

std::vector<RevealedRecord> revealed_records(const DensePart& gradient, double tolerance) {
  check(gradient);
  if (gradient.bias.empty() || !all_finite(gradient.weights) || !all_finite(gradient.bias)) return {};
  std::vector<std::size_t> order(gradient.outputs);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(gradient.bias[a]) > std::abs(gradient.bias[b]);
  });
  std::vector<RevealedRecord> records;
  std::vector<Ratio> ratios;
  for (const std::size_t row : order) {
    if (gradient.bias[row] == 0) break;
    Ratio own = ratio(gradient, row);
    if (!own.input.allFinite()) continue;
    const auto same = std::find_if(ratios.begin(), ratios.end(),
                                   [&](const Ratio& other) { return agree(own, other, tolerance); });
    if (same != ratios.end()) {
      records[static_cast<std::size_t>(same - ratios.begin())].rows.push_back(row);
    } else {
      records.push_back({to_vector(own.input), {row}});
      ratios.push_back(std::move(own));
    }
  }
  std::stable_sort(records.begin(), records.end(),
                   [](const auto& a, const auto& b) { return a.rows.size() > b.rows.size(); });
  return records;
}

std::optional<std::vector<double>> agreed_records(const DensePart& gradient, std::size_t batch) {
  const auto shown = revealed_records(gradient);
  const auto rows = [&](std::size_t k) { return k < shown.size() ? shown[k].rows.size() : 0; };
  if (batch == 0 || rows(batch - 1) < 2 || rows(batch - 1) == rows(batch)) return std::nullopt;
  std::vector<double> inputs;
  for (std::size_t k = 0; k < batch; ++k)
    inputs.insert(inputs.end(), shown[k].input.begin(), shown[k].input.end());
  return inputs;
}

}  // namespace earshot
