#include "earshot/attack/inversion/weight_only.hpp"

#include <algorithm>
#include <cmath>

#include <boost/math/special_functions/lambert_w.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/attack/inversion/test_victim.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

/// tau = 1 + W_0(exp(Delta - 1)).
double threshold(double delta) {
  return 1 + boost::math::lambert_w0(std::exp(delta - 1));
}

/// The corrected theorem: no clone, or the branch of K = e^Delta/S - W(-(gamma/S) exp(gamma
/// e^Delta/S))/gamma, S = e^gamma + e^Delta, that is not K = 1.
std::vector<double> clones_by_theorem(double gamma, double delta) {
  const double tau = threshold(delta);
  if (gamma <= 0 || gamma == tau) return {};
  const double sum = std::exp(gamma) + std::exp(delta);
  const double argument = -gamma / sum * std::exp(gamma * std::exp(delta) / sum);
  const double w = gamma < tau ? boost::math::lambert_wm1(argument) : boost::math::lambert_w0(argument);
  return {std::exp(delta) / sum - w / gamma};
}

TEST(GradientClones, AreCountedByTheCorrectedTheorem) {
  Stream stream({1, Purpose::kTest});
  std::size_t counts[2] = {};
  for (int trial = 0; trial < 20000; ++trial) {
    const double gamma = -4 + 12 * stream.uniform();
    const double delta = -4 + 8 * stream.uniform();
    if (std::abs(gamma - threshold(delta)) < 1e-4) continue;  // a double root: rounding decides
    const auto clones = clone_factors(gamma, delta);
    const auto expected = clones_by_theorem(gamma, delta);
    ASSERT_EQ(clones.size(), expected.size()) << gamma << " " << delta;
    ++counts[clones.size()];
    if (clones.empty()) continue;
    const double k = clones[0];
    EXPECT_NEAR(k, expected[0], 1e-6 * expected[0])
        << gamma << " " << delta;  // Lambert W near its branch point
    EXPECT_EQ(k > 1, gamma < threshold(delta));
    EXPECT_TRUE(k < 1 || gamma > std::log(k) / (k - 1));  // Biswas 2024, Theorem 6.4
  }
  EXPECT_GT(counts[0], 5000U);
  EXPECT_GT(counts[1], 10000U);
}

/// Sign changes of L - c (1 + exp(gamma L + Delta)) on a fine logarithmic grid.
std::size_t count_by_scan(double c, double gamma, double delta) {
  std::size_t changes = 0;
  bool below = false;
  for (int step = -6000; step < 6000; ++step) {
    const double l = std::exp(2e-3 * step);
    const bool now = l > c * (1 + std::exp(gamma * l + delta));
    changes += now != below ? 1 : 0;
    below = now;
  }
  return changes;
}

TEST(GradientClones, OfTheOtherClassAgreeWithAScan) {
  Stream stream({2, Purpose::kTest});
  std::size_t seen[3] = {};
  for (int trial = 0; trial < 300; ++trial) {
    const double gamma = -1 + 3 * stream.uniform();
    const double delta = -6 + 8 * stream.uniform();
    const double c = 1 / (1 + std::exp(gamma - delta));
    const auto clones = opposite_clone_factors(gamma, delta);
    for (const double k : clones) {
      EXPECT_LT(k, 0);
      EXPECT_NEAR(-k, c * (1 + std::exp(-gamma * k + delta)), 1e-9 * -k);
    }
    const auto scanned = count_by_scan(c, gamma, delta);
    if (gamma < 0.01 && gamma > -0.01) continue;  // a solution may lie beyond the scan
    ASSERT_EQ(clones.size(), scanned) << gamma << " " << delta;
    ++seen[clones.size()];
  }
  EXPECT_GT(seen[0], 10U);
  EXPECT_GT(seen[1], 10U);
  EXPECT_GT(seen[2], 10U);
}

// On the whole line an input can have three clones, against Biswas 2024, Corollary 6.7.
TEST(GradientClones, CanBeThreeWhereInputsMayBeNegative) {
  EXPECT_THAT(clone_factors(0.5, -6), ::testing::ElementsAre(::testing::DoubleNear(3.517852, 1e-6)));
  EXPECT_THAT(opposite_clone_factors(0.5, -6), ::testing::ElementsAre(::testing::DoubleNear(-0.001505, 1e-6),
                                                                      ::testing::DoubleNear(-31.930, 1e-3)));
}

struct SoftmaxLayer {
  std::size_t classes, inputs;
  std::vector<double> weights, bias, input, gradient;
  std::size_t label;

  SoftmaxLayer(std::size_t m, std::size_t n, Stream& stream)
      : classes(m), inputs(n), weights(m * n), bias(m), input(n), gradient(m * n), label(stream.below(m)) {
    stream.fill_normal(weights, 1.0);
    stream.fill_normal(bias, 1.0);
    for (double& x : input) x = stream.uniform();
    observe();
  }
  /// (p_j - [j = label]) x_i; 1 - p_label is summed from the others, so that it keeps its digits.
  void observe() { gradient = at(input, label); }
  std::vector<double> at(const std::vector<double>& x, std::size_t y) const {
    std::vector<double> z(bias);
    for (std::size_t i = 0; i < weights.size(); ++i) z[i / inputs] += weights[i] * x[i % inputs];
    const double top = *std::max_element(z.begin(), z.end());
    std::vector<double> p(classes);
    double sum = 0;
    for (std::size_t j = 0; j < classes; ++j) sum += p[j] = std::exp(z[j] - top);
    p[y] = 0;
    for (std::size_t j = 0; j < classes; ++j) p[y] -= j == y ? 0 : p[j];
    std::vector<double> g(classes * inputs);
    for (std::size_t i = 0; i < g.size(); ++i) g[i] = p[i / inputs] / sum * x[i % inputs];
    return g;
  }
  double logit_slope(std::size_t a, std::size_t b) const {
    double sum = 0;
    for (std::size_t i = 0; i < inputs; ++i) {
      sum += input[i] * (weights[a * inputs + i] - weights[b * inputs + i]);
    }
    return sum;
  }
  std::vector<DenseInput> candidates() const {
    return weight_only_inputs({classes, inputs, weights, bias}, {classes, inputs, gradient, {}},
                              LossKind::kSoftmaxCrossEntropy);
  }
};

bool nonnegative(const std::vector<double>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return x >= 0; });
}

std::size_t negative_entry(const DenseInput& candidate) {
  return static_cast<std::size_t>(std::min_element(candidate.adjoint.begin(), candidate.adjoint.end()) -
                                  candidate.adjoint.begin());
}

TEST(WeightOnly, FindsATwoClassInputAndItsClonesAndNothingElse) {
  Stream stream({3, Purpose::kTest});
  std::size_t pairs = 0;
  for (int trial = 0; trial < 10000; ++trial) {
    const SoftmaxLayer layer(2, 3, stream);
    const std::size_t other = 1 - layer.label;
    const double gamma = layer.logit_slope(layer.label, other);
    const double delta = layer.bias[other] - layer.bias[layer.label];
    if (std::abs(gamma - threshold(delta)) < 1e-3) continue;
    std::size_t positive = 0;
    double nearest = INFINITY;
    for (const DenseInput& candidate : layer.candidates()) {
      EXPECT_LT(relative_error(layer.at(candidate.input, negative_entry(candidate)), layer.gradient), 1e-9);
      positive += nonnegative(candidate.input) ? 1 : 0;
      nearest = std::min(nearest, relative_error(candidate.input, layer.input));
    }
    ASSERT_EQ(positive, 1 + clones_by_theorem(gamma, delta).size());
    EXPECT_LT(nearest, 1e-9);
    pairs += positive - 1;
  }
  EXPECT_GT(pairs, 2000U);
}

TEST(WeightOnly, DeterminesTheInputOfThreeClassesOrMore) {
  Stream stream({4, Purpose::kTest});
  for (int trial = 0; trial < 10000; ++trial) {
    SoftmaxLayer layer(3 + stream.below(3), 4, stream);
    stream.fill_normal(layer.input, 1.0);  // of either sign: nothing is known about the domain
    layer.observe();
    const auto found = layer.candidates();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_LT(relative_error(found[0].input, layer.input), 1e-8);
    EXPECT_EQ(negative_entry(found[0]), layer.label);
  }
}

TEST(WeightOnly, FindsClonesWhereWrongClassesMoveAlike) {
  Stream stream({5, Purpose::kTest});
  std::size_t pairs = 0;
  for (int trial = 0; trial < 200; ++trial) {
    SoftmaxLayer layer(3, 4, stream);
    layer.label = 0;
    std::copy_n(layer.weights.begin() + 4, 4, layer.weights.begin() + 8);
    layer.observe();
    const auto found = layer.candidates();
    ASSERT_GE(found.size(), 1U);
    double nearest = INFINITY;
    for (const DenseInput& candidate : found) {
      EXPECT_LT(relative_error(layer.at(candidate.input, 0), layer.gradient), 1e-8);
      nearest = std::min(nearest, relative_error(candidate.input, layer.input));
    }
    EXPECT_LT(nearest, 1e-6);
    pairs += found.size() - 1;
  }
  EXPECT_GT(pairs, 20U);
}

TEST(WeightOnly, FindsTheInputOfSigmoidOutputs) {
  for (const std::size_t outputs : {1, 4}) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      const Victim victim(
          dense_network({6, outputs}, ActivationKind::kRelu, false, LossKind::kBinaryCrossEntropy), seed);
      double nearest = INFINITY;
      for (const auto& candidate : weight_only_inputs(*last_dense(victim.architecture, victim.parameters),
                                                      *last_dense(victim.architecture, victim.gradient),
                                                      LossKind::kBinaryCrossEntropy)) {
        nearest = std::min(nearest, relative_error(candidate.input, victim.inputs));
      }
      EXPECT_LT(nearest, 1e-7);
    }
  }
}

TEST(WeightOnly, FindsNothingInSilenceAndRefusesWhatDoesNotFit) {
  Stream stream({6, Purpose::kTest});
  SoftmaxLayer layer(3, 4, stream);
  std::fill(layer.gradient.begin(), layer.gradient.end(), 0.0);
  EXPECT_TRUE(layer.candidates().empty());
  layer.gradient[2] = std::nan("");
  EXPECT_TRUE(layer.candidates().empty());
  EXPECT_TRUE(clone_factors(900, 0).empty());  // fitted to the last bit
  EXPECT_THROW(clone_factors(std::nan(""), 0), Error);
  EXPECT_THROW(scale_solutions(0, 1, 1), Error);
  EXPECT_THROW(weight_only_inputs({3, 4, layer.weights, layer.bias}, {4, 3, layer.gradient, {}},
                                  LossKind::kSoftmaxCrossEntropy),
               Error);
}

}  // namespace
}  // namespace earshot
