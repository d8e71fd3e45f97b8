#include "earshot/collect/laplace_release.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/metric/statistics.hpp"

namespace earshot {
namespace {

using Eigen::Index;

std::vector<double> row_values(const Eigen::MatrixXd& points, Index row) {
  return {points.row(row).begin(), points.row(row).end()};
}

double sorted_share(std::vector<double> values, double share) {
  std::ranges::sort(values);
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  return values[std::max<std::size_t>(rank, 1) - 1];
}

Eigen::VectorXd middle_of(const Eigen::MatrixXd& points) {
  Eigen::VectorXd middle(points.rows());
  for (Index z = 0; z < points.rows(); ++z) middle[z] = quantile(row_values(points, z), 0.5);
  return middle;
}

}  // namespace

LatentDomain LatentDomain::around(Shape shape, const Eigen::MatrixXd& points, double coverage) {
  if (!(coverage > 0 && coverage <= 1))
    fail(Fault::kConfig, "the coverage of a domain must be above 0 and at most 1");
  if (points.cols() == 0 || !points.allFinite())
    fail(Fault::kData, "a domain needs at least one encoded record, and finite ones only");
  if (shape == Shape::kL1Ball) {
    const Eigen::VectorXd centre = middle_of(points);
    const Eigen::RowVectorXd distance = (points.colwise() - centre).colwise().lpNorm<1>();
    Eigen::VectorXd radius(1);
    radius[0] = sorted_share({distance.begin(), distance.end()}, coverage);
    return {shape, centre, radius};
  }
  Eigen::VectorXd centre(points.rows()), reach(points.rows());
  for (Index z = 0; z < points.rows(); ++z) {
    const std::vector<double> values = row_values(points, z);
    const double low = quantile(values, (1 - coverage) / 2);
    const double high = quantile(values, (1 + coverage) / 2);
    centre[z] = (low + high) / 2;
    reach[z] = (high - low) / 2;
  }
  return {shape, centre, reach};
}

void LatentDomain::clip(Eigen::MatrixXd& points) const {
  if (!points.allFinite())
    fail(Fault::kNumeric,
         "an encoded record is not finite and cannot be clipped: the guarantee would be void");
  if (shape_ == Shape::kBox) {
    for (Index i = 0; i < points.cols(); ++i)
      points.col(i) = points.col(i).cwiseMax(centre_ - reach_).cwiseMin(centre_ + reach_);
    return;
  }
  for (Index i = 0; i < points.cols(); ++i) {
    const double distance = (points.col(i) - centre_).lpNorm<1>();
    if (distance > reach_[0]) points.col(i) = centre_ + (points.col(i) - centre_) * (reach_[0] / distance);
  }
}

double LatentDomain::diameter() const {
  return 2 * reach_.sum();
}

std::optional<LatentDomain> fix_domain(const std::optional<DomainRule>& rule,
                                       const Eigen::MatrixXd& encoded) {
  if (!rule) return std::nullopt;
  return LatentDomain::around(rule->shape, encoded, rule->coverage);
}

double laplace_scale(double sensitivity, const NoiseRule& rule) {
  if (!(rule.epsilon > 0) || !std::isfinite(rule.epsilon))
    fail(Fault::kConfig, "epsilon must be positive and finite");
  if (!(sensitivity >= 0) || !std::isfinite(sensitivity))
    fail(Fault::kNumeric, "the sensitivity must be finite and at least 0");
  const double scale = sensitivity / rule.epsilon;
  return rule.as_published ? scale / std::sqrt(2.0) : scale;
}

double laplace_variance(double sensitivity, const NoiseRule& rule) {
  const double scale = laplace_scale(sensitivity, rule);
  return 2 * scale * scale;
}

void add_laplace(Eigen::MatrixXd& points, double scale, Stream& stream) {
  for (double& x : points.reshaped()) x += stream.laplace(scale);
}

PrivacyStatement release_statement(const NoiseRule& rule, const std::optional<LatentDomain>& domain) {
  PrivacyStatement statement;
  statement.epsilon = rule.as_published ? std::sqrt(2.0) * rule.epsilon : rule.epsilon;
  statement.unit = "one record, released once";
  statement.adversary = "anyone who sees the released record, the collector included";
  if (domain) {
    statement.definition = "epsilon-local differential privacy";
    statement.adjacency = "replace the record by any other, seen before or not";
    statement.assumptions.push_back(
        fmt::format("encoded records are clipped to {} fixed on training data, so the sensitivity is its L1 "
                    "diameter whatever the input",
                    domain->shape() == LatentDomain::Shape::kBox ? "a box" : "an L1 ball"));
  } else {
    statement.definition =
        "epsilon-indistinguishability of the records at hand; not a worst-case guarantee (no local "
        "differential privacy)";
    statement.adjacency = "replace the record by another one of the same data set";
    statement.assumptions.emplace_back(
        "the sensitivity was measured on the data: a record unlike them may be told apart more easily, and "
        "the noise scale itself depends on the data");
  }
  if (rule.as_published)
    statement.assumptions.emplace_back(
        "noise scale sensitivity / (sqrt(2) epsilon) as in the published code, so epsilon is sqrt(2) times "
        "the one asked for");
  statement.assumptions.emplace_back(
      "encoder, decoder and task were trained on records in the clear; that training is not protected");
  statement.assumptions.emplace_back(
      "real-valued Laplace noise, simulated in double precision from a replayable stream: for study, not for "
      "release");
  return statement;
}

}  // namespace earshot
