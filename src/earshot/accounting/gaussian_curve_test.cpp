#include "earshot/accounting/gaussian_curve.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

double normal_density(double x) {
  return std::exp(-0.5 * x * x) / std::sqrt(2 * M_PI);
}

/// Hockey-stick divergence of N(mu,1) from N(0,1) by quadrature: the definition, not the closed form.
double delta_by_integration(double mu, double epsilon) {
  double sum = 0;
  const double h = 1e-4;
  for (double x = -12; x < mu + 12; x += h) {
    sum += h * std::max(0.0, normal_density(x + h / 2 - mu) - std::exp(epsilon) * normal_density(x + h / 2));
  }
  return sum;
}

TEST(GaussianCurve, DeltaIsTheHockeyStickDivergence) {
  for (const double mu : {0.1, 0.5, 1.0, 3.0}) {
    for (const double epsilon : {0.0, 0.3, 1.0, 4.0}) {
      EXPECT_NEAR(gaussian_delta(mu, epsilon), delta_by_integration(mu, epsilon), 1e-8)
          << mu << " " << epsilon;
    }
  }
}

TEST(GaussianCurve, ClassicalCalibrationIsNeverTighter) {
  // sigma = sqrt(2 ln(1.25/delta)) / epsilon suffices for epsilon <= 1; at epsilon 1, delta 1e-5 it
  // is 4.8448.
  const double classical_mu = 1 / 4.8448;
  EXPECT_LT(gaussian_epsilon(classical_mu, 1e-5), 1.0);
  // 1 / 3.7306 is the analytic answer for the same target (Balle & Wang 2018).
  EXPECT_NEAR(1 / gaussian_mu(1.0, 1e-5), 3.7306, 1e-3);
}

TEST(GaussianCurve, EpsilonAndMuInvertEachOther) {
  for (const double epsilon : {0.01, 0.5, 2.0, 30.0, 1000.0}) {
    const double mu = gaussian_mu(epsilon, 1e-6);
    const double back = gaussian_epsilon(mu, 1e-6);
    EXPECT_NEAR(back / epsilon, 1, 1e-9);
    EXPECT_LE(back, epsilon * (1 + 1e-11));
  }
}

TEST(GaussianCurve, MoreNoiseNeverCostsMore) {
  double previous = 0;
  for (double mu = 0.01; mu < 20; mu *= 1.3) {
    const double epsilon = gaussian_epsilon(mu, 1e-5);
    EXPECT_GE(epsilon, previous);
    previous = epsilon;
  }
}

TEST(GaussianCurve, CompositionIsASquareRoot) {
  EXPECT_DOUBLE_EQ(compose_gaussian(0.3, 4), 0.6);
  EXPECT_EQ(compose_gaussian(0.3, 0), 0);
  EXPECT_EQ(gaussian_epsilon(0, 1e-5), 0);
}

TEST(GaussianCurve, RefusesImpossibleTargets) {
  EXPECT_THROW(gaussian_epsilon(1, 0), Error);
  EXPECT_THROW(gaussian_epsilon(1, 1), Error);
  EXPECT_THROW(gaussian_epsilon(-1, 0.5), Error);
  EXPECT_THROW(gaussian_mu(0, 1e-5), Error);
  EXPECT_THROW(gaussian_mu(INFINITY, 1e-5), Error);
}

}  // namespace
}  // namespace earshot
