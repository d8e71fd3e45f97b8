#include "earshot/accounting/conversion.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "earshot/accounting/gaussian_curve.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

TEST(Conversion, FormulasAreOrderedAndAboveTheTruth) {
  // A Gaussian release of mu has Renyi divergence a mu^2 / 2 and a known exact curve.
  for (const double mu : {0.05, 0.3, 1.0, 4.0}) {
    for (const double delta : {1e-3, 1e-6, 1e-9}) {
      const double exact = gaussian_epsilon(mu, delta);
      for (const double order : {1.05, 1.5, 2.0, 5.0, 20.0, 80.0}) {
        const double renyi = order * mu * mu / 2;
        const double classic = epsilon_from_renyi(order, renyi, delta, RenyiConversion::kClassic);
        const double improved = epsilon_from_renyi(order, renyi, delta, RenyiConversion::kImproved);
        const double optimal = epsilon_from_renyi(order, renyi, delta, RenyiConversion::kOptimal);
        EXPECT_LE(improved, classic);
        EXPECT_LE(optimal, improved + 1e-9);
        EXPECT_GE(optimal, exact - 1e-9);
      }
    }
  }
}

/// The optimal conversion is attained: some pair of coins has that divergence and that delta. Brute force
/// over coins finds nothing beyond it and something close to it.
TEST(Conversion, OptimalIsTheWorstPairOfCoins) {
  const double order = 3;
  const double renyi = 0.4;
  const double delta = 1e-2;
  const double epsilon = epsilon_from_renyi(order, renyi, delta, RenyiConversion::kOptimal);
  double worst = 0;
  for (double log_q = -12; log_q < -0.01; log_q += 0.005) {
    const double q = std::exp(log_q);
    for (double log_p = log_q; log_p < -1e-4; log_p += 0.002) {
      const double p = std::exp(log_p);
      const double moment =
          std::pow(p, order) * std::pow(q, 1 - order) + std::pow(1 - p, order) * std::pow(1 - q, 1 - order);
      if (std::log(moment) / (order - 1) <= renyi && p > delta)
        worst = std::max(worst, std::log((p - delta) / q));
    }
  }
  EXPECT_LE(worst, epsilon + 1e-9);
  EXPECT_NEAR(worst, epsilon, 5e-3);
}

TEST(Conversion, ConcentratedMinimisesOverAllOrders) {
  for (const double rho : {1e-6, 0.01, 1.0, 50.0, 1e5}) {
    const BestOrder best = concentrated_epsilon(rho, 1e-6);
    // The classic conversion's minimum, rho + 2 sqrt(rho ln(1/delta)), bounds it.
    EXPECT_LT(best.epsilon, rho + 2 * std::sqrt(rho * std::log(1e6)));
    for (double excess = 1e-4; excess < 1e4; excess *= 1.1) {
      EXPECT_LE(best.epsilon,
                epsilon_from_renyi(1 + excess, rho * (1 + excess), 1e-6, RenyiConversion::kImproved) + 1e-9);
    }
  }
  EXPECT_EQ(concentrated_epsilon(0, 1e-6).epsilon, 0);
}

TEST(Conversion, DeltaMustBeAProbability) {
  EXPECT_THROW(epsilon_from_renyi(2, 1, 0, RenyiConversion::kClassic), Error);
  EXPECT_THROW(epsilon_from_renyi(2, 1, 1, RenyiConversion::kClassic), Error);
  EXPECT_THROW(concentrated_epsilon(1, std::nan("")), Error);
}

}  // namespace
}  // namespace earshot
