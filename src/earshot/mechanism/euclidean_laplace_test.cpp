#include "earshot/mechanism/euclidean_laplace.hpp"

#include <cmath>
#include <numbers>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/core/gamma.hpp"
#include "earshot/core/test_statistics.hpp"

namespace earshot {
namespace {

/// Gamma(n, 1) distribution for whole n: 1 - e^-x sum_{k<n} x^k / k!.
double erlang(int n, double x) {
  double term = 1;
  double sum = 0;
  for (int k = 0; k < n; ++k) {
    sum += term;
    term *= x / (k + 1);
  }
  return 1 - std::exp(-x) * sum;
}

TEST(SimulateGamma, HasItsDistribution) {
  for (const int shape : {1, 2, 5, 30}) {
    Stream stream({1});
    std::vector<double> sample(40000);
    for (double& x : sample) x = gamma_variable(shape, stream);
    EXPECT_LT(kolmogorov(sample, [&](double x) { return erlang(shape, x); }), kKolmogorovLimit) << shape;
  }
}

/// Gamma(10^6) is normal with mean and variance 10^6 up to a skewness of 2e-3, unseen in 10,000 draws.
TEST(SimulateGamma, IsStableForHugeShapes) {
  Stream stream({2});
  std::vector<double> sample(10000);
  for (double& x : sample) x = (gamma_variable(1e6, stream) - 1e6) / 1e3;
  EXPECT_LT(kolmogorov(sample, [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }),
            kKolmogorovLimit);
  EXPECT_THROW(gamma_variable(0.5, stream), Error);
}

TEST(EuclideanLaplace, LengthIsGammaAndDirectionIsUniform) {
  const EuclideanLaplace mechanism(2);
  Stream stream({3});
  std::vector<double> lengths, cosines;
  double square = 0;
  for (int i = 0; i < 40000; ++i) {
    std::vector<double> value = {1, 1, 1};
    mechanism.simulate(value, stream);
    for (double& x : value) x -= 1;
    lengths.push_back(norm_of(Norm::kL2, value));
    cosines.push_back(value[2] / lengths.back());
    square += value[0] * value[0] / 40000;
  }
  EXPECT_LT(kolmogorov(lengths, [](double x) { return erlang(3, 2 * x); }), kKolmogorovLimit);
  // In three dimensions each coordinate of a uniform direction is uniform on [-1, 1] (Archimedes).
  EXPECT_LT(kolmogorov(cosines, [](double x) { return (x + 1) / 2; }), kKolmogorovLimit);
  // Variance (n + 1) / epsilon^2 = 1; kurtosis below 6, sd of the estimate 1.2 %, 6 sd.
  EXPECT_NEAR(square, 1, 0.075);
  EXPECT_DOUBLE_EQ(mechanism.noise_deviation(3), 1);
}

TEST(EuclideanLaplace, AMillionCoordinates) {
  const EuclideanLaplace mechanism(0.5);
  Stream stream({4});
  std::vector<double> value(1000000, 0.0);
  mechanism.simulate(value, stream);
  // Length 2 Gamma(10^6): relative deviation 1e-3, 6 of them.
  EXPECT_NEAR(norm_of(Norm::kL2, value) / 2e6, 1, 6e-3);
}

/// Protected noise on a grid of 2^-16 has, up to that step, the continuous distribution.
TEST(EuclideanLaplace, ProtectedNoiseHasItsDistribution) {
  SecureRandom random;
  for (const int dimension : {1, 2, 3, 8}) {
    const EuclideanLaplace mechanism(1);
    std::vector<double> lengths;
    for (int i = 0; i < 4000; ++i) {
      std::vector<double> value(static_cast<std::size_t>(dimension), 3.0);
      const ReleasePointer release = mechanism.protect(value, random);
      EXPECT_EQ(to_json(*release), to_json(*mechanism.protected_release(value.size())));
      for (double& x : value) {
        EXPECT_EQ(std::fmod(x, 0x1p-16), 0);
        x -= 3;
      }
      lengths.push_back(norm_of(Norm::kL2, value));
    }
    // Fresh randomness on every run, 3e-8 false alarms each.
    EXPECT_LT(kolmogorov(lengths, [&](double x) { return erlang(dimension, x); }), kKolmogorovLimit)
        << dimension;
  }
}

TEST(EuclideanLaplace, ProtectionRefusesWhatItCannotDrawExactly) {
  SecureRandom random;
  std::vector<double> value(EuclideanLaplace::kMostProtectedCoordinates + 1, 1.0);
  const std::vector<double> before = value;
  EXPECT_THROW(EuclideanLaplace(1).protect(value, random), Error);
  EXPECT_EQ(value, before);
}

TEST(EuclideanLaplace, StatesMetricPrivacy) {
  const EuclideanLaplace mechanism(0.3);
  EXPECT_EQ(std::get<MetricRelease>(mechanism.release()->kind).epsilon, 0.3);
  EXPECT_DOUBLE_EQ(*mechanism.statement(4).epsilon, 1.2);
  EXPECT_THROW(EuclideanLaplace(0), Error);
  EXPECT_THROW(EuclideanLaplace(std::nan("")), Error);
}

/// The radius of planar Laplace noise has distribution 1 - (1 + epsilon r) e^(-epsilon r); its angle is
/// uniform.
TEST(PlanarLaplace, RadiusAndAngle) {
  const double epsilon = std::log(4) / 200;  // a privacy level of ln 4 within 200 metres
  const PlanarLaplace mechanism(epsilon);
  Stream stream({5});
  std::vector<double> radii, angles;
  for (int i = 0; i < 40000; ++i) {
    std::vector<double> place = {0, 0};
    mechanism.simulate(place, stream);
    radii.push_back(std::hypot(place[0], place[1]));
    angles.push_back(std::atan2(place[1], place[0]));
  }
  EXPECT_LT(kolmogorov(radii, [&](double r) { return 1 - (1 + epsilon * r) * std::exp(-epsilon * r); }),
            kKolmogorovLimit);
  EXPECT_LT(kolmogorov(angles, [](double a) { return a / (2 * std::numbers::pi) + 0.5; }), kKolmogorovLimit);
}

TEST(PlanarLaplace, ReportsAreMovedToTheNearestAllowedPlace) {
  const PlanarRegion square = Rectangle{{0, 0}, {10, 10}};
  EXPECT_EQ(nearest_in(square, {-3, 4}).x, 0);
  EXPECT_EQ(nearest_in(square, {-3, 4}).y, 4);
  EXPECT_EQ(nearest_in(square, {11, 12}).y, 10);
  const PlanarRegion stations = std::vector<PlanarPoint>{{0, 0}, {5, 5}, {10, 0}};
  EXPECT_EQ(nearest_in(stations, {4, 4}).x, 5);
  const PlanarLaplace mechanism(0.1, stations);
  Stream stream({6});
  SecureRandom random;
  for (int i = 0; i < 200; ++i) {
    std::vector<double> place = {4, 4};
    i % 2 == 0 ? mechanism.simulate(place, stream) : mechanism.protect(place, random);
    EXPECT_TRUE(place[1] == 0 ? place[0] == 0 || place[0] == 10 : place[0] == 5);
  }
}

TEST(PlanarLaplace, BadInputIsRefused) {
  Stream stream({7});
  std::vector<double> three(3);
  EXPECT_THROW(PlanarLaplace(1).simulate(three, stream), Error);
  EXPECT_THROW(PlanarLaplace(1, PlanarRegion{Rectangle{{1, 0}, {0, 1}}}), Error);
  EXPECT_THROW(PlanarLaplace(1, PlanarRegion{std::vector<PlanarPoint>{}}), Error);
  EXPECT_THROW(PlanarLaplace(-1), Error);
}

}  // namespace
}  // namespace earshot
