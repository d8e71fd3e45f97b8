#include "earshot/attack/inversion/weight_only.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/finite.hpp"

namespace earshot {
namespace {

/// Where `excess` changes sign between low and high, to the last bit.
template <class Excess>
double bisect(double low, double high, bool positive_at_low, Excess excess) {
  while (true) {
    const double middle = std::midpoint(low, high);
    if (middle <= low || middle >= high) return middle;
    ((excess(middle) > 0) == positive_at_low ? low : high) = middle;
  }
}

/// What one orientation of the direction says: dW_k = adjoint_k s v with s > 0, so scaled_k = s adjoint_k;
/// slope_k = w_k . v, so z_k = slope_k s + b_k.
struct Orientation {
  Eigen::VectorXd direction;
  Eigen::VectorXd scaled;
  Eigen::VectorXd slope;
  Eigen::VectorXd bias;
};

constexpr double kEqualSlopes = 1e-12;  // differences below this share of the largest slope are rounding

double log_sum_exp(const std::vector<double>& numbers) {
  const double top = *std::max_element(numbers.begin(), numbers.end());
  double sum = 0;
  for (const double x : numbers) sum += std::exp(x - top);
  return top + std::log(sum);
}

/// The only class with a negative entry, if there is one.
std::optional<Eigen::Index> only_negative(const Eigen::VectorXd& scaled) {
  if ((scaled.array() < 0).count() != 1) return std::nullopt;
  Eigen::Index label = 0;
  scaled.minCoeff(&label);
  return label;
}

/// log(s p_j) - b_j = slope_j s + constant over the wrong classes: s by regression, weighted by s p_j because
/// that is what noise and rounding are small against. None when all slopes are equal.
std::optional<double> regressed_scale(const Orientation& o, Eigen::Index label) {
  double weight = 0;
  double mean_slope = 0;
  double mean_log = 0;
  const auto each_wrong = [&](auto use) {
    for (Eigen::Index j = 0; j < o.scaled.size(); ++j) {
      if (j != label && o.scaled[j] > 0) use(o.scaled[j], o.slope[j], std::log(o.scaled[j]) - o.bias[j]);
    }
  };
  each_wrong([&](double w, double slope, double log) {
    weight += w;
    mean_slope += w * slope;
    mean_log += w * log;
  });
  if (weight == 0) return std::nullopt;
  mean_slope /= weight;
  mean_log /= weight;
  double variance = 0;
  double covariance = 0;
  double spread = 0;
  each_wrong([&](double w, double slope, double log) {
    variance += w * (slope - mean_slope) * (slope - mean_slope);
    covariance += w * (slope - mean_slope) * (log - mean_log);
    spread = std::max(spread, std::abs(slope - mean_slope));
  });
  if (spread <= kEqualSlopes * o.slope.lpNorm<Eigen::Infinity>() || variance == 0) return std::nullopt;
  return covariance / variance;
}

std::vector<double> softmax_scales(const Orientation& o) {
  const auto label = only_negative(o.scaled);
  if (!label) return {};
  if (const auto s = regressed_scale(o, *label)) {
    return *s > 0 && std::isfinite(*s) ? std::vector<double>{*s} : std::vector<double>{};
  }
  // All wrong classes move alike: one class against the rest. s (1 - p_label) is the sum of the others.
  std::vector<double> others;
  double rest = 0;
  double slope = 0;
  for (Eigen::Index j = 0; j < o.scaled.size(); ++j) {
    if (j == *label) continue;
    others.push_back(o.bias[j]);
    rest += o.scaled[j];
    slope = o.slope[j];
  }
  if (!(rest > 0)) return {};
  return scale_solutions(rest, o.slope[*label] - slope, o.bias[*label] - log_sum_exp(others));
}

/// p_B(x); 0 for a record so well fitted that its gradient vanishes.
double wrong_probability(double gamma, double delta) {
  if (!std::isfinite(gamma) || !std::isfinite(delta)) {
    fail(Fault::kConfig, fmt::format("clones need finite gamma and Delta, not {} and {}", gamma, delta));
  }
  return 1 / (1 + std::exp(gamma - delta));
}

/// From the output whose gradient is largest; (p - q) / outputs is negative exactly for target 1.
std::vector<double> sigmoid_scales(const Orientation& o) {
  Eigen::Index k = 0;
  o.scaled.cwiseAbs().maxCoeff(&k);
  const double c = std::abs(o.scaled[k]) * static_cast<double>(o.scaled.size());
  const double sign = o.scaled[k] < 0 ? 1 : -1;
  return scale_solutions(c, sign * o.slope[k], sign * o.bias[k]);
}

}  // namespace

std::vector<double> scale_solutions(double c, double a, double b) {
  if (!(c > 0) || !std::isfinite(c) || !std::isfinite(a) || !std::isfinite(b)) {
    fail(Fault::kConfig,
         fmt::format("scales need a positive length and finite terms, not {}, {}, {}", c, a, b));
  }
  const auto excess = [&](double s) { return c * (1 + std::exp(a * s + b)) - s; };
  if (a <= 0) {
    double beyond = 2 * c;
    while (excess(beyond) > 0) beyond *= 2;
    if (!std::isfinite(beyond)) return {};
    return {bisect(c, beyond, true, excess)};
  }
  const double lowest = -(std::log(c * a) + b) / a;  // where the convex excess is smallest
  if (!(lowest > c) || !(excess(lowest) <= 0)) return {};
  double beyond = 2 * lowest;
  while (excess(beyond) <= 0) beyond *= 2;
  const double small = bisect(c, lowest, true, excess);
  const double large = bisect(lowest, beyond, false, excess);
  if (small == large) return {small};
  return {small, large};
}

std::vector<double> clone_factors(double gamma, double delta) {
  // K p_B(K x) = p_B(x), with p_B(K x) = 1 / (1 + exp(K gamma - Delta)). K = 1 is the smaller solution iff
  // the excess falls there, that is iff gamma - 1 < exp(Delta - gamma).
  const double wrong = wrong_probability(gamma, delta);
  if (gamma <= 0 || wrong == 0) return {};
  const double falls = std::exp(delta - gamma) - (gamma - 1);
  const auto factors = scale_solutions(wrong, gamma, -delta);
  if (factors.size() < 2 || falls == 0) return {};
  return {falls > 0 ? factors[1] : factors[0]};
}

std::vector<double> opposite_clone_factors(double gamma, double delta) {
  // At -L x, L > 0, of class B, the weight gradient is the same iff L p_A(-L x) = p_B(x).
  const double wrong = wrong_probability(gamma, delta);
  if (wrong == 0) return {};
  auto factors = scale_solutions(wrong, gamma, delta);
  for (double& factor : factors) factor = -factor;
  return factors;
}

std::vector<DenseInput> weight_only_inputs(const DensePart& parameters, const DensePart& gradient,
                                           LossKind loss) {
  check(parameters);
  check(gradient);
  if (parameters.outputs != gradient.outputs || parameters.inputs != gradient.inputs) {
    fail(Fault::kConfig, "parameters and gradient are not of the same layer");
  }
  if (loss == LossKind::kMeanSquared || !all_finite(gradient.weights)) return {};
  const RankOne fit = rank_one(gradient.matrix());
  const double length = fit.right.norm();
  if (length == 0) return {};
  std::vector<DenseInput> found;
  for (const double sign : {1.0, -1.0}) {
    Orientation o;
    o.direction = sign / length * fit.right;
    o.scaled = gradient.matrix() * o.direction;
    o.slope = parameters.matrix() * o.direction;
    o.bias = parameters.bias.empty() ? Eigen::VectorXd::Zero(o.slope.size()).eval()
                                     : Eigen::VectorXd(parameters.bias_vector());
    for (const double s : loss == LossKind::kSoftmaxCrossEntropy ? softmax_scales(o) : sigmoid_scales(o)) {
      const Eigen::VectorXd input = s * o.direction;
      const Eigen::VectorXd adjoint = o.scaled / s;
      found.push_back({{input.begin(), input.end()}, {adjoint.begin(), adjoint.end()}});
    }
  }
  return found;
}

}  // namespace earshot
