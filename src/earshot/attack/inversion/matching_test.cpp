#include "earshot/attack/inversion/matching.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "earshot/attack/inversion/prior.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"

namespace earshot {
namespace {

std::vector<double> random_vector(std::size_t size, std::uint64_t seed) {
  std::vector<double> out(size);
  Stream({seed, Purpose::kTest}).fill_normal(out, 1);
  return out;
}

const std::vector<double> kObserved = random_vector(19, 1);
const std::vector<double> kPredicted = random_vector(19, 2);

double value(const Matching& matching, std::span<const double> predicted) {
  std::vector<double> direction(predicted.size());
  return compare<double>(matching, kObserved, predicted, direction);
}

/// The derivative by central differences.
void expect_direction(const Matching& matching) {
  std::vector<double> direction(19);
  compare<double>(matching, kObserved, kPredicted, direction);
  for (std::size_t i = 0; i < 19; ++i) {
    std::vector<double> ahead = kPredicted, behind = kPredicted;
    ahead[i] += 1e-6;
    behind[i] -= 1e-6;
    EXPECT_NEAR(direction[i], (value(matching, ahead) - value(matching, behind)) / 2e-6, 1e-7) << i;
  }
}

Matching weighted(MatchingKind kind, double scale = 1) {
  Matching out{kind, scale, std::vector<double>(19)};
  for (std::size_t i = 0; i < 19; ++i) out.weights[i] = static_cast<double>(i % 4);
  return out;
}

TEST(Matching, DirectionsAreDerivatives) {
  for (std::size_t kind = 0; kind < kMatchingNames.size(); ++kind) {
    SCOPED_TRACE(kMatchingNames[kind]);
    expect_direction({static_cast<MatchingKind>(kind), 0.7});
    expect_direction(weighted(static_cast<MatchingKind>(kind), 0.7));
  }
}

TEST(Matching, ValuesFollowTheirFormulas) {
  double square = 0, product = 0, p = 0, o = 0, absolute = 0, beyond = 0;
  for (std::size_t i = 0; i < 19; ++i) {
    const double d = kPredicted[i] - kObserved[i];
    square += d * d;
    absolute += std::abs(d);
    beyond += std::pow(std::max(0.0, std::abs(d) - 0.25), 2);
    product += kPredicted[i] * kObserved[i];
    p += kPredicted[i] * kPredicted[i];
    o += kObserved[i] * kObserved[i];
  }
  EXPECT_NEAR(value({MatchingKind::kSquared}, kPredicted), square, 1e-12);
  EXPECT_NEAR(value({MatchingKind::kGaussian, 0.5}, kPredicted), 2 * square, 1e-12);
  EXPECT_NEAR(value({MatchingKind::kCosine}, kPredicted), 1 - product / std::sqrt(p * o), 1e-12);
  EXPECT_NEAR(value({MatchingKind::kLaplace, 0.5}, kPredicted), 2 * absolute, 19e-3);
  EXPECT_NEAR(value({MatchingKind::kQuantised, 0.5}, kPredicted), beyond, 1e-12);
}

TEST(Matching, CosineIgnoresLengthAndQuantisedIgnoresTheCell) {
  std::vector<double> longer = kPredicted, near = kObserved;
  for (double& x : longer) x *= 17;
  for (std::size_t i = 0; i < 19; ++i) near[i] += i % 2 == 0 ? 0.049 : -0.049;
  EXPECT_NEAR(value({MatchingKind::kCosine}, longer), value({MatchingKind::kCosine}, kPredicted), 1e-14);
  EXPECT_EQ(value({MatchingKind::kQuantised, 0.1}, near), 0);
  EXPECT_GT(value({MatchingKind::kQuantised, 0.09}, near), 0);
}

TEST(Matching, AZeroGradientHasNoDirection) {
  std::vector<double> direction(19, 5.0);
  EXPECT_EQ(compare<double>({MatchingKind::kCosine}, kObserved, std::vector<double>(19), direction), 1);
  for (const double x : direction) EXPECT_EQ(x, 0);
}

TEST(Matching, AWeightOfZeroLeavesANumberOut) {
  Matching matching = weighted(MatchingKind::kSquared);
  std::vector<double> other = kPredicted;
  other[0] += 1000;  // weight 0
  EXPECT_EQ(value(matching, other), value(matching, kPredicted));
}

TEST(Matching, FloatsAgreeWithDoubles) {
  const std::vector<float> observed(kObserved.begin(), kObserved.end());
  const std::vector<float> predicted(kPredicted.begin(), kPredicted.end());
  std::vector<float> direction(19);
  for (std::size_t kind = 0; kind < kMatchingNames.size(); ++kind) {
    const Matching matching{static_cast<MatchingKind>(kind), 0.7};
    const double exact = value(matching, kPredicted);
    EXPECT_NEAR(compare<float>(matching, observed, predicted, direction), exact, 1e-5 * exact);
  }
}

TEST(Matching, LayerWeightsCoverTheirParameters) {
  Architecture net;
  net.input = Shape{3};
  net.layers = {Dense{2}, Activate{}, Dense{2}};
  const auto weights = layer_weights(net, std::vector<double>{2.0, 5.0});
  EXPECT_EQ(weights, (std::vector<double>{2, 2, 2, 2, 2, 2, 2, 2, 5, 5, 5, 5, 5, 5}));
  EXPECT_THROW(layer_weights(net, std::vector<double>{1.0}), Error);
  EXPECT_THROW(layer_weights(net, std::vector<double>{1.0, 2.0, 3.0}), Error);
}

TEST(Matching, SenselessSettingsAreRefused) {
  EXPECT_THROW(require_valid(Matching{MatchingKind::kGaussian, 0}, 3), Error);
  EXPECT_THROW(require_valid(Matching{MatchingKind::kSquared, 1, {1, 1}}, 3), Error);
  EXPECT_THROW(require_valid(Matching{MatchingKind::kSquared, 1, {0, 0, 0}}, 3), Error);
  EXPECT_THROW(require_valid(Matching{MatchingKind::kSquared, 1, {1, -1, 1}}, 3), Error);
  EXPECT_NO_THROW(require_valid(Matching{MatchingKind::kSquared, 1, {1, 0, 1}}, 3));
}

TEST(Prior, TotalVariationCountsSteps) {
  // Two channels of 2 x 3: the first flat, the second with one vertical edge of height 2 in each row.
  const std::vector<double> image{1, 1, 1, 1, 1, 1, 0, 2, 2, 0, 2, 2};
  std::vector<double> gradient(12);
  // 6 pairs above each other, all equal; 8 pairs side by side, two of which differ by 2.
  EXPECT_NEAR(add_prior({.total_variation = 3}, Shape{2, 2, 3}, image, gradient), 3 * 4.0 / 8, 1e-15);
  EXPECT_EQ(gradient[0], 0);
  EXPECT_NEAR(gradient[6], -3.0 / 8, 1e-15);
  EXPECT_NEAR(gradient[7], 3.0 / 8, 1e-15);
}

TEST(Prior, DerivativesAreRight) {
  const Shape shape{2, 3, 4};
  const std::vector<double> image = random_vector(shape.size(), 5);
  const Prior prior{0.3, KnownMoments{0.4, 1.7, 0.9}};
  std::vector<double> gradient(shape.size()), unused(shape.size());
  add_prior(prior, shape, image, gradient);
  for (std::size_t i = 0; i < image.size(); ++i) {
    std::vector<double> ahead = image, behind = image;
    ahead[i] += 1e-6;
    behind[i] -= 1e-6;
    EXPECT_NEAR(gradient[i],
                (add_prior(prior, shape, ahead, unused) - add_prior(prior, shape, behind, unused)) / 2e-6,
                1e-8);
  }
}

TEST(Prior, SenselessSettingsAreRefused) {
  EXPECT_THROW(require_valid(Prior{.total_variation = 1}, Shape{105}), Error);
  EXPECT_THROW(require_valid(Prior{.total_variation = -1}, Shape{1, 4, 4}), Error);
  EXPECT_THROW(require_valid(Prior{0, KnownMoments{0, -1, 1}}, Shape{4}), Error);
  EXPECT_NO_THROW(require_valid(Prior{0.1, KnownMoments{}}, Shape{1, 4, 4}));
}

}  // namespace
}  // namespace earshot
