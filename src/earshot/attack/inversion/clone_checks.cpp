#include "earshot/attack/inversion/clone_checks.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "earshot/attack/inversion/weight_only.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

constexpr double kStep = 0.04;          // of the grid, in ln K
constexpr double kFarthest = 28;        // ln of the largest K looked at, 1.4e12
constexpr double kItself = 1e-6;        // a factor this near to 1 is no clone
constexpr double kSameGradient = 1e-6;  // relative: classes that agree like this have a clone in common
constexpr double kWeightSpread = 3;     // deviation of a weight times the root of the dimension
constexpr double kBiasSpread = 2;

double softplus(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

/// Where the sign changes between two points of a grid.
template <class Function>
double crossing(Function f, double low, double high) {
  const bool positive = f(low) > 0;
  while (true) {
    const double middle = std::midpoint(low, high);
    if (middle <= low || middle >= high) return middle;
    ((f(middle) > 0) == positive ? low : high) = middle;
  }
}

/// Where f has its minimum, found by thirds.
template <class Function>
double lowest_point(Function f, double low, double high) {
  for (int i = 0; i < 100; ++i) {
    const double third = (high - low) / 3;
    if (f(low + third) < f(high - third)) {
      high -= third;
    } else {
      low += third;
    }
  }
  return std::midpoint(low, high);
}

/// exp of the roots of f between `from` and kFarthest: sign changes on a grid, and where three neighbours
/// have one sign and the middle one is nearest to zero, a search for a double crossing.
template <class Function>
std::vector<double> scan(Function f, double from) {
  std::vector<double> roots;
  double before = f(from);
  double middle = f(from + kStep);
  if ((before > 0) != (middle > 0)) roots.push_back(std::exp(crossing(f, from, from + kStep)));
  for (double t = from + kStep; t < kFarthest; t += kStep) {
    const double after = f(t + kStep);
    const double sign = middle > 0 ? 1 : -1;
    if ((middle > 0) != (after > 0)) {
      roots.push_back(std::exp(crossing(f, t, t + kStep)));
    } else if (sign * before > sign * middle && sign * middle < sign * after) {
      const double lowest = lowest_point([&](double s) { return sign * f(s); }, t - kStep, t + kStep);
      if (sign * f(lowest) <= 0) {
        roots.push_back(std::exp(crossing(f, t - kStep, lowest)));
        roots.push_back(std::exp(crossing(f, lowest, t + kStep)));
      }
    }
    before = middle;
    middle = after;
  }
  return roots;
}

/// ln of p_B(x), below which no factor can lie: K p = p_B(x) with p < 1.
double log_wrong(double gamma, double delta) {
  return -softplus(gamma - delta);
}

void erase_itself(std::vector<double>& factors) {
  std::erase_if(factors, [](double k) { return std::abs(k - 1) < kItself; });
}

/// A softmax layer and an input of class `label`.
struct SoftmaxInstance {
  RowMatrixXd weights;
  Eigen::VectorXd bias;
  Eigen::VectorXd input;
  Eigen::Index label = 0;

  SoftmaxInstance(std::size_t classes, std::size_t dimension, Stream& stream)
      : weights(classes, dimension), bias(classes), input(dimension) {
    stream.fill_normal({weights.data(), classes * dimension},
                       kWeightSpread / std::sqrt(static_cast<double>(dimension)));
    stream.fill_normal({bias.data(), classes}, kBiasSpread);
    for (double& x : input) x = stream.uniform();
    label = static_cast<Eigen::Index>(stream.below(classes));
  }

  /// ln p_j(x), accurate for every class.
  Eigen::ArrayXd log_probabilities(const Eigen::VectorXd& x) const {
    const Eigen::ArrayXd z = (weights * x + bias).array();
    const double top = z.maxCoeff();
    return z - (top + std::log((z - top).exp().sum()));
  }
  /// (p - one-hot) x^T (Biswas 2024, eq. 6.10); 1 - p_y is the sum of the others, which loses no digits.
  RowMatrixXd gradient(const Eigen::VectorXd& x, Eigen::Index y) const {
    Eigen::VectorXd error = log_probabilities(x).exp().matrix();
    error[y] = 0;
    error[y] = -error.sum();
    return error * x.transpose();
  }
};

double relative_difference(const RowMatrixXd& found, const RowMatrixXd& truth) {
  return (found - truth).norm() / truth.norm();
}

/// All that the checks ask of one input of two classes.
struct TwoClassInstance : SoftmaxInstance {
  double gamma = 0;
  double delta = 0;
  std::vector<double> scanned, scanned_opposite, predicted, predicted_opposite;
  double same_error = 0;
  double error = 0;  // with the clones of the other class

  TwoClassInstance(std::size_t dimension, Stream& stream) : SoftmaxInstance(2, dimension, stream) {
    gamma = (weights.row(label) - weights.row(1 - label)).dot(input);
    delta = bias[1 - label] - bias[label];
    scanned = scanned_clones(gamma, delta);
    scanned_opposite = scanned_opposite_clones(gamma, delta);
    predicted = clone_factors(gamma, delta);
    erase_itself(predicted);
    predicted_opposite = opposite_clone_factors(gamma, delta);
    const RowMatrixXd truth = gradient(input, label);
    for (const double k : predicted)
      same_error = std::max(same_error, relative_difference(gradient(k * input, label), truth));
    error = same_error;
    for (const double k : predicted_opposite)
      error = std::max(error, relative_difference(gradient(k * input, 1 - label), truth));
  }

  /// gamma < tau, without tau: gamma - 1 - exp(Delta - gamma) is increasing in gamma.
  bool below_threshold() const { return gamma - 1 < std::exp(delta - gamma); }
  bool has_longer() const {
    return std::any_of(scanned.begin(), scanned.end(), [](double k) { return k > 1; });
  }
};

/// Counts one instance.
void count(CloneCheck& check, std::size_t scanned, std::size_t predicted, bool agrees, double error = 0) {
  ++check.instances;
  check.with_clones += scanned > 0 ? 1 : 0;
  check.predicted += predicted > 0 ? 1 : 0;
  check.most = std::max(check.most, scanned);
  check.agreements += agrees ? 1 : 0;
  check.worst_error = std::max(check.worst_error, error);
}

/// gamma = tau for a random gamma: Delta = gamma + ln(gamma - 1).
void count_threshold(CloneCheck& check, Stream& stream) {
  const double gamma = 1 + 0.01 + 8 * stream.uniform();
  const double delta = gamma + std::log(gamma - 1);
  const std::size_t scanned = scanned_clones(gamma, delta).size();
  std::vector<double> predicted = clone_factors(gamma, delta);
  erase_itself(predicted);
  count(check, scanned, predicted.size(), scanned == predicted.size());
}

/// Factors K at which the wrong classes of an input all keep K p_j(K x) = p_j(x).
std::vector<double> scanned_several_class_clones(const SoftmaxInstance& instance) {
  const Eigen::ArrayXd slope = (instance.weights * instance.input).array();
  const Eigen::ArrayXd at_input = instance.log_probabilities(instance.input);
  const auto change = [&](double log_k, Eigen::Index j) {
    const Eigen::ArrayXd z = std::exp(log_k) * slope + instance.bias.array();
    const double top = z.maxCoeff();
    return log_k + z[j] - top - std::log((z - top).exp().sum()) - at_input[j];
  };
  const Eigen::Index first = instance.label == 0 ? 1 : 0;
  const auto divided = [&](double log_k) {
    const double away = std::expm1(log_k);
    return away == 0 ? 0 : change(log_k, first) / away;
  };
  std::vector<double> factors = scan(divided, at_input[first]);
  erase_itself(factors);
  std::erase_if(factors, [&](double k) {
    for (Eigen::Index j = 0; j < slope.size(); ++j)
      if (j != instance.label && std::abs(change(std::log(k), j)) > kSameGradient) return true;
    return false;
  });
  return factors;
}

}  // namespace

std::vector<double> scanned_clones(double gamma, double delta) {
  const double here = log_wrong(gamma, delta);
  const auto divided = [&](double log_k) {
    const double away = std::expm1(log_k);
    return away == 0 ? 0 : (log_k + log_wrong(std::exp(log_k) * gamma, delta) - here) / away;
  };
  std::vector<double> factors = scan(divided, here);
  erase_itself(factors);
  return factors;
}

std::vector<double> scanned_opposite_clones(double gamma, double delta) {
  const double here = log_wrong(gamma, delta);
  // At -L x the other class is right, and p_A(-L x) = 1 / (1 + exp(L gamma + Delta)).
  std::vector<double> factors =
      scan([&](double log_l) { return log_l - softplus(std::exp(log_l) * gamma + delta) - here; }, here);
  for (double& factor : factors) factor = -factor;
  return factors;
}

bool printed_clone_condition(double gamma, double delta) {
  if (gamma <= 0) return false;
  const double share = 1 / (1 + std::exp(gamma - delta));
  return gamma + softplus(delta - gamma) - 1 < std::log(gamma) + gamma * share;
}

bool printed_longest_condition(double gamma, double delta) {
  // With u = gamma - 1 - l: u e^u = exp(Delta - (gamma - u) e^Delta) for some u in (0, gamma - 1). The
  // difference of the logarithms is concave in u and negative near 0, so its maximum decides.
  if (gamma <= 1) return false;
  const double e = std::exp(delta);
  const double u = e > 1 ? std::min(gamma - 1, 1 / (e - 1)) : gamma - 1;
  return std::log(u) + u - delta + (gamma - u) * e > 0;
}

std::vector<CloneCheck> check_two_class_clones(std::size_t instances, std::size_t dimension, Stream& stream) {
  if (dimension == 0) fail(Fault::kConfig, "clones are of inputs with at least one number");
  CloneCheck corrected{"theorem_6_6"}, printed{"theorem_6_6_printed"}, threshold{"threshold"},
      factors{"theorem_6_4"}, longer{"theorem_6_5"}, longer_printed{"theorem_6_5_printed"},
      either{"either_class"}, corollary{"corollary_6_7"};
  for (std::size_t i = 0; i < instances; ++i) {
    const TwoClassInstance x(dimension, stream);
    const std::size_t same = x.scanned.size();
    count(corrected, same, x.predicted.size(), same == x.predicted.size(), x.same_error);
    const bool exists = printed_clone_condition(x.gamma, x.delta);
    count(printed, same, exists ? 1 : 0, exists == (same > 0));
    count_threshold(threshold, stream);
    for (const double k : x.scanned)
      if (k > 1) count(factors, 1, 1, x.gamma > std::log(k) / (k - 1));
    const std::size_t above = x.has_longer() ? 1 : 0;
    if (x.gamma > 0) count(longer, above, x.below_threshold() ? 1 : 0, x.has_longer() == x.below_threshold());
    if (printed_longest_condition(x.gamma, x.delta)) count(longer_printed, above, 0, above == 0);
    const std::size_t all = same + x.scanned_opposite.size();
    const std::size_t expected = x.predicted.size() + x.predicted_opposite.size();
    count(either, all, expected, all == expected, x.error);
    count(corollary, all, 0, all <= 2);
  }
  return {corrected, printed, threshold, factors, longer, longer_printed, either, corollary};
}

CloneCheck check_several_class_clones(std::size_t instances, std::size_t dimension, std::size_t classes,
                                      Stream& stream) {
  if (dimension == 0 || classes < 3) {
    fail(Fault::kConfig, "this check needs inputs of at least one number and three classes or more");
  }
  CloneCheck check{"several_classes"};
  for (std::size_t i = 0; i < instances; ++i) {
    const SoftmaxInstance x(classes, dimension, stream);
    const RowMatrixXd seen = x.gradient(x.input, x.label);
    const std::size_t size = classes * dimension;
    const auto found =
        weight_only_inputs({classes, dimension, {x.weights.data(), size}, {x.bias.data(), classes}},
                           {classes, dimension, {seen.data(), size}, {}}, LossKind::kSoftmaxCrossEntropy);
    const std::size_t clones = scanned_several_class_clones(x).size();
    double error = 1;
    for (const DenseInput& candidate : found) {
      const Eigen::Map<const Eigen::VectorXd> input(candidate.input.data(), x.input.size());
      error = std::min(error, (input - x.input).norm() / x.input.norm());
    }
    count(check, clones, found.size() > 1 ? 1 : 0, found.size() == 1 + clones, error);
  }
  return check;
}

}  // namespace earshot
