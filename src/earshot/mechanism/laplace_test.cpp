#include "earshot/mechanism/laplace.hpp"

#include <cmath>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/core/test_statistics.hpp"
#include "earshot/mechanism/staircase.hpp"

namespace earshot {
namespace {

MechanismTerms promised(double sensitivity) {
  return promised_terms(Norm::kL1, sensitivity, Adjacency::kReplace, "a record");
}

double laplace_distribution(double x, double scale) {
  return x < 0 ? 0.5 * std::exp(x / scale) : 1 - 0.5 * std::exp(-x / scale);
}

TEST(Laplace, SimulatedNoiseIsLaplace) {
  const auto mechanism = LaplaceMechanism::calibrated(promised(3), 2);
  std::vector<double> value(40000, 1.0);
  Stream stream({1});
  mechanism.simulate(value, stream);
  EXPECT_LT(kolmogorov(value, [](double x) { return laplace_distribution(x - 1, 1.5); }), kKolmogorovLimit);
  double square = 0;
  for (const double x : value) square += (x - 1) * (x - 1) / 40000;
  // Variance 2 b^2; the sd of its estimate is sqrt(5 / 40000) = 1.1 % of it, 6 sd: 2e-9.
  EXPECT_NEAR(square / std::pow(mechanism.noise_deviation(1), 2), 1, 0.067);
}

/// The average age of 100 people between 0 and 100 moves by at most 1.
TEST(Laplace, CalibrationIsSensitivityOverEpsilon) {
  const auto mechanism = LaplaceMechanism::calibrated(promised(100.0 / 100), 1);
  EXPECT_DOUBLE_EQ(mechanism.noise_deviation(1), std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(std::get<LaplaceRelease>(mechanism.release()->kind).noise_multiplier, 1);
  EXPECT_DOUBLE_EQ(*mechanism.statement(3).epsilon, 3);
  EXPECT_EQ(mechanism.statement(3).delta, 0);
}

TEST(Laplace, ProtectionNeverSpendsMoreThanEpsilon) {
  Stream stream({2});
  for (int repetition = 0; repetition < 300; ++repetition) {
    const double size = std::exp(3 * stream.normal());
    const double epsilon = std::exp(stream.normal());
    const bool clips = stream.below(2) == 0;
    const auto mechanism = LaplaceMechanism::calibrated(
        clips ? clipped_terms(Norm::kL1, size, Adjacency::kReplace, "a record") : promised(size), epsilon);
    const auto release =
        std::get<DiscreteLaplaceRelease>(mechanism.protected_release(1 + stream.below(1000))->kind);
    EXPECT_LE(static_cast<double>(release.sensitivity) / release.scale, epsilon * (1 + 1e-15));
    EXPECT_GE(static_cast<double>(release.sensitivity) / release.scale, epsilon * (1 - 1e-4));
  }
}

TEST(Laplace, ProtectedValuesAreLaplaceOnTheGrid) {
  const auto mechanism = LaplaceMechanism::calibrated(promised(1), 0.5);
  SecureRandom random;
  std::vector<double> value(20000);
  for (double& x : value) {
    x = 13.0 / 3;  // not on the grid
    const ReleasePointer release = mechanism.protect(std::span(&x, 1), random);
    EXPECT_EQ(to_json(*release), to_json(*mechanism.protected_release(1)));
    EXPECT_EQ(std::fmod(x, 0x1p-20), 0);
  }
  // Fresh randomness on every run; the grid adds at most 2^-20 to the distance. 3e-8 false alarms.
  EXPECT_LT(kolmogorov(value, [](double x) { return laplace_distribution(x - 13.0 / 3, 2); }),
            kKolmogorovLimit);
}

TEST(Laplace, ClippingComesBeforeTheNoise) {
  const LaplaceMechanism mechanism(clipped_terms(Norm::kL1, 1, Adjacency::kReplace, "a record"), 1e-6);
  Stream stream({3});
  SecureRandom random;
  std::vector<double> simulated = {30, -10};
  mechanism.simulate(simulated, stream);
  EXPECT_NEAR(simulated[0], 0.75, 1e-4);
  std::vector<double> protected_value = {30, -10};
  mechanism.protect(protected_value, random);
  EXPECT_NEAR(protected_value[0], 0.75, 1e-3);  // the noise exceeds 1e-3 with probability e^-1000
  EXPECT_NEAR(protected_value[1], -0.25, 1e-3);
}

TEST(Laplace, BadParametersAreRefused) {
  EXPECT_THROW(LaplaceMechanism(promised(1), 0), Error);
  EXPECT_THROW(LaplaceMechanism(promised(1), HUGE_VAL), Error);
  EXPECT_THROW(LaplaceMechanism::calibrated(promised(1), std::nan("")), Error);
  EXPECT_THROW(LaplaceMechanism::calibrated(promised(1), 1, 0), Error);
  EXPECT_THROW(promised(-1), Error);
  EXPECT_THROW(LaplaceMechanism(promised_terms(Norm::kL2, 1, Adjacency::kReplace, "a record"), 1), Error);
}

/// Distribution function of staircase noise at sensitivity 1, from its density.
double staircase_distribution(double x, double epsilon, double gamma) {
  if (x < 0) return 1 - staircase_distribution(-x, epsilon, gamma);
  const double b = std::exp(-epsilon);
  const double height = (1 - b) / (2 * (gamma + b * (1 - gamma)));
  const double stair = std::floor(x);
  const double within = x - stair;
  const double whole = 0.5 * (1 - std::pow(b, stair));
  const double part =
      height * std::pow(b, stair) * (std::min(within, gamma) + b * std::max(0.0, within - gamma));
  return 0.5 + whole + part;
}

TEST(Staircase, SimulatedNoiseHasItsDensity) {
  for (const double epsilon : {0.3, 1.0, 4.0}) {
    const StaircaseMechanism mechanism(promised(2), epsilon);
    Stream stream({4});
    std::vector<double> sample(40000);
    double square = 0;
    for (double& x : sample) {
      mechanism.simulate(std::span(&x, 1), stream);
      square += x * x / 40000;
      x /= 2;
    }
    EXPECT_LT(
        kolmogorov(sample, [&](double x) { return staircase_distribution(x, epsilon, mechanism.gamma()); }),
        kKolmogorovLimit);
    // Heavier tails than Laplace noise of the same size have not; 8 % is above 6 sd of the estimate.
    EXPECT_NEAR(std::sqrt(square) / mechanism.noise_deviation(1), 1, 0.08);
  }
}

TEST(Staircase, ProtectedNoiseHasItsDensity) {
  const StaircaseMechanism mechanism(promised(1), 1);
  SecureRandom random;
  std::vector<double> sample(20000);
  for (double& x : sample) {
    mechanism.protect(std::span(&x, 1), random);
    EXPECT_EQ(std::fmod(x, 0x1p-20), 0);
  }
  EXPECT_LT(kolmogorov(sample, [&](double x) { return staircase_distribution(x, 1, mechanism.gamma()); }),
            kKolmogorovLimit);
}

/// gamma = 1 / (1 + e^(epsilon/2)) has the least mean size, Delta e^(epsilon/2) / (e^epsilon - 1), which is
/// less than Laplace noise's Delta / epsilon; the other gamma has the least variance.
TEST(Staircase, GammaIsOptimal) {
  const auto moment = [](double epsilon, double gamma, int power) {
    const double b = std::exp(-epsilon);
    const double height = (1 - b) / (gamma + b * (1 - gamma));
    double sum = 0;
    for (int k = 0; k < 2000; ++k) {
      const auto integral = [&](double from, double to) {
        return (std::pow(to, power + 1) - std::pow(from, power + 1)) / (power + 1);
      };
      sum += height * std::pow(b, k) * (integral(k, k + gamma) + b * integral(k + gamma, k + 1));
    }
    return sum;
  };
  for (const double epsilon : {0.1, 1.0, 3.0, 8.0}) {
    const double size_gamma = staircase_gamma(epsilon, StaircaseCost::kMagnitude);
    const double variance_gamma = staircase_gamma(epsilon, StaircaseCost::kVariance);
    EXPECT_NEAR(moment(epsilon, size_gamma, 1) / (std::exp(epsilon / 2) / std::expm1(epsilon)), 1, 1e-9);
    EXPECT_LT(moment(epsilon, size_gamma, 1), 1 / epsilon);
    const StaircaseMechanism mechanism(promised(1), epsilon, StaircaseCost::kVariance);
    EXPECT_NEAR(std::pow(mechanism.noise_deviation(1), 2) / moment(epsilon, variance_gamma, 2), 1, 1e-9);
    for (double gamma = 0.01; gamma < 1; gamma += 0.01) {
      EXPECT_GE(moment(epsilon, gamma, 1), moment(epsilon, size_gamma, 1) * (1 - 1e-12));
      EXPECT_GE(moment(epsilon, gamma, 2), moment(epsilon, variance_gamma, 2) * (1 - 1e-12));
    }
  }
}

TEST(Staircase, ReleasesOneNumber) {
  const StaircaseMechanism mechanism(promised(1), 1);
  Stream stream({5});
  std::vector<double> two(2);
  EXPECT_THROW(mechanism.simulate(two, stream), Error);
  EXPECT_THROW(mechanism.protected_release(2), Error);
  EXPECT_THROW(StaircaseMechanism(promised(1), 0), Error);
}

}  // namespace
}  // namespace earshot
