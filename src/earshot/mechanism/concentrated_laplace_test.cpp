#include "earshot/mechanism/concentrated_laplace.hpp"

#include <cmath>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "earshot/accounting/accountant.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/test_statistics.hpp"

namespace earshot {
namespace {

double rho(const ReleasePointer& release) {
  return std::get<ConcentratedRelease>(release->kind).rho;
}

/// Renyi divergence of order a between Laplace noise of scale 1 and its copy moved by t (Mironov 2017,
/// Proposition 6).
double laplace_renyi(double a, double t) {
  const double larger = (a - 1) * t;  // kept outside, so that nothing overflows
  return (larger + std::log(a / (2 * a - 1) + (a - 1) / (2 * a - 1) * std::exp(-a * t - larger))) / (a - 1);
}

TEST(ConcentratedLaplace, TheExactDivergenceHasItsPublishedValues) {
  EXPECT_NEAR(laplace_renyi(2, 0.5), 0.200304, 1e-6);
  EXPECT_NEAR(laplace_renyi(2, 1), 0.619124, 1e-6);
  EXPECT_NEAR(laplace_renyi(8, 0.1), 0.0356768, 1e-7);
  EXPECT_NEAR(laplace_renyi(32, 0.05), 0.0294605, 1e-7);
}

/// However the change is spread over the coordinates, the exact divergences add up to less than rho * order,
/// and to nearly that when it is spread thin.
TEST(ConcentratedLaplace, RhoBoundsEveryWayToSpreadTheChange) {
  Stream stream({5});
  for (int repetition = 0; repetition < 2000; ++repetition) {
    const double sensitivity = std::exp(stream.normal());
    const ConcentratedLaplace mechanism(
        promised_terms(Norm::kL2, sensitivity, Adjacency::kReplace, "a record"), 2, 1e-5);
    std::vector<double> change(1 + stream.below(30));
    for (double& x : change) x = stream.normal();
    const double length = norm_of(Norm::kL2, change);
    const double order = 1 + std::exp(3 * stream.normal());
    double exact = 0;
    for (const double x : change) exact += laplace_renyi(order, std::abs(x) / length * sensitivity / 2);
    EXPECT_LE(exact, rho(mechanism.release()) * order * (1 + 1e-9));
  }
  const ConcentratedLaplace mechanism(promised_terms(Norm::kL2, 1, Adjacency::kReplace, "a record"), 2, 1e-5);
  const double thin = 10000 * laplace_renyi(4, 0.01 / 2);
  EXPECT_NEAR(thin / (4 * rho(mechanism.release())), 1, 0.01);
}

/// zCDP of Gaussian noise of deviation 2 on sensitivity 1 is 1/8.
TEST(ConcentratedLaplace, CountsAsGaussianNoiseOfItsScale) {
  const ConcentratedLaplace mechanism(promised_terms(Norm::kL2, 1, Adjacency::kReplace, "a record"), 2, 1e-5);
  EXPECT_DOUBLE_EQ(rho(mechanism.release()), 0.125);
  EXPECT_DOUBLE_EQ(mechanism.noise_deviation(3), 2 * std::sqrt(2.0));
  const auto accountant = make_accountant("zcdp");
  accountant->add(*make_release(GaussianRelease{2}), 40);
  EXPECT_NEAR(*mechanism.statement(40).epsilon, accountant->epsilon(1e-5), 1e-9);
}

TEST(ConcentratedLaplace, ProtectionNeverSpendsMore) {
  Stream stream({2});
  for (int repetition = 0; repetition < 300; ++repetition) {
    const double size = std::exp(3 * stream.normal());
    const bool clips = stream.below(2) == 0;
    const ConcentratedLaplace mechanism(
        clips ? clipped_terms(Norm::kL2, size, Adjacency::kReplace, "a record")
              : promised_terms(Norm::kL2, size, Adjacency::kReplace, "a record"),
        size * std::exp(stream.normal()), 1e-5);
    const double spent = rho(mechanism.protected_release(1 + stream.below(1000)));
    EXPECT_LE(spent, rho(mechanism.release()) * (1 + 1e-15));
    EXPECT_GE(spent, rho(mechanism.release()) * (1 - 1e-3));
  }
}

TEST(ConcentratedLaplace, BothNoisesAreLaplaceAfterClipping) {
  const ConcentratedLaplace mechanism(clipped_terms(Norm::kL2, 1, Adjacency::kReplace, "a record"), 0.5,
                                      1e-5);
  const auto distribution = [](double x) {
    return x < 0 ? 0.5 * std::exp(x / 0.5) : 1 - 0.5 * std::exp(-x / 0.5);
  };
  std::vector<double> simulated(20000), protect(20000);
  Stream stream({3});
  SecureRandom random;
  mechanism.simulate(simulated, stream);
  mechanism.protect(protect, random);
  EXPECT_LT(kolmogorov(simulated, distribution), kKolmogorovLimit);
  EXPECT_LT(kolmogorov(protect, distribution), kKolmogorovLimit);

  const ConcentratedLaplace quiet(clipped_terms(Norm::kL2, 1, Adjacency::kReplace, "a record"), 1e-9, 1e-5);
  std::vector<double> value = {30, -40};
  quiet.simulate(value, stream);
  EXPECT_NEAR(value[0], 0.6, 1e-6);
  EXPECT_NEAR(value[1], -0.8, 1e-6);
}

TEST(ConcentratedLaplace, RefusesOtherNormsAndNoDelta) {
  EXPECT_THROW(ConcentratedLaplace(promised_terms(Norm::kL1, 1, Adjacency::kReplace, "a record"), 1, 1e-5),
               Error);
  EXPECT_THROW(ConcentratedLaplace(promised_terms(Norm::kL2, 1, Adjacency::kReplace, "a record"), 1, 0),
               Error);
}

}  // namespace
}  // namespace earshot
