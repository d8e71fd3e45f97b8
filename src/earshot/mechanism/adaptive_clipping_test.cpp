#include "earshot/mechanism/adaptive_clipping.hpp"

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "earshot/accounting/gaussian_curve.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

std::vector<double> lognormal_norms(std::size_t count, Stream& stream) {
  std::vector<double> norms(count);
  for (double& norm : norms) norm = std::exp(stream.normal());
  return norms;
}

TEST(AdaptiveClip, OneStepIsThePublishedUpdate) {
  // Noise of 1e-9 on the count: 3 of 4 norms are within 0.1.
  AdaptiveClip clip({0.1, 0.5, 0.2, 1e-9, 4});
  Stream stream({1});
  clip.simulate(std::vector<double>{0.01, 0.1, 0.05, 7}, stream);
  EXPECT_NEAR(clip.bound(), 0.1 * std::exp(-0.2 * (0.75 - 0.5)), 1e-9);
}

/// The median of exp(N(0, 1)) is 1 and its 80 % quantile is exp(0.8416). The last bounds average out the
/// noise.
TEST(AdaptiveClip, FollowsAQuantile) {
  for (const auto& [target, log_quantile] : {std::pair{0.5, 0.0}, std::pair{0.8, 0.8416}}) {
    Stream stream({2});
    SecureRandom random;
    AdaptiveClip simulated({0.001, target, 0.2, 5, 200});
    AdaptiveClip protecting({1000, target, 0.2, 5, 200});
    double mean_simulated = 0;
    double mean_protected = 0;
    for (int round = 0; round < 600; ++round) {
      const std::vector<double> norms = lognormal_norms(200, stream);
      simulated.simulate(norms, stream);
      protecting.protect(norms, random);
      if (round < 300) continue;
      mean_simulated += std::log(simulated.bound()) / 300;
      mean_protected += std::log(protecting.bound()) / 300;
    }
    // Each round moves log C by 0.2 times an error of deviation 0.043; the average of 300 has deviation of
    // about 0.043 / 0.3 / sqrt(300) = 0.008 by the slope 0.3 of the distribution at the quantile: 0.1 is 12
    // of them.
    EXPECT_NEAR(mean_simulated, log_quantile, 0.1);
    EXPECT_NEAR(mean_protected, log_quantile, 0.1);
  }
}

TEST(AdaptiveClip, TheCountIsAReleaseOfItsOwn) {
  AdaptiveClip clip({1, 0.5, 0.2, 3, 10});
  Stream stream({3});
  SecureRandom random;
  const std::vector<double> norms = {1, 2};
  EXPECT_EQ(std::get<GaussianRelease>(clip.simulate(norms, stream)->kind).noise_multiplier, 6);
  const auto exact = std::get<DiscreteGaussianRelease>(clip.protect(norms, random)->kind);
  EXPECT_EQ(exact.sigma, 6);
  EXPECT_EQ(exact.sensitivity, 1);
}

/// Two Gaussian releases compose as sqrt(mu1^2 + mu2^2).
TEST(AdaptiveClip, SumAndCountTogetherCostTheTotal) {
  for (const double total : {0.5, 1.0, 3.0}) {
    const double count_deviation = 2 * total;
    const double sum = adaptive_sum_multiplier(total, count_deviation);
    EXPECT_NEAR(std::hypot(1 / sum, 1 / (2 * count_deviation)), 1 / total, 1e-12);
    EXPECT_GT(sum, total);
  }
  EXPECT_THROW(adaptive_sum_multiplier(2, 1), Error);
}

TEST(AdaptiveClip, BadParametersAreRefused) {
  EXPECT_THROW(AdaptiveClip({0, 0.5, 0.2, 1, 10}), Error);
  EXPECT_THROW(AdaptiveClip({1, 1.5, 0.2, 1, 10}), Error);
  EXPECT_THROW(AdaptiveClip({1, std::nan(""), 0.2, 1, 10}), Error);
  EXPECT_THROW(AdaptiveClip({1, 0.5, 0, 1, 10}), Error);
  EXPECT_THROW(AdaptiveClip({1, 0.5, 0.2, 0, 10}), Error);
  EXPECT_THROW(AdaptiveClip({1, 0.5, 0.2, 1, 0}), Error);
  AdaptiveClip clip({1, 0.5, 0.2, 1, 10});
  Stream stream({4});
  EXPECT_THROW(clip.simulate(std::vector<double>{std::nan("")}, stream), Error);
}

}  // namespace
}  // namespace earshot
