#include "earshot/collect/location/planar_channel.hpp"

#include <cmath>
#include <map>
#include <numbers>

#include <boost/math/quadrature/exp_sinh.hpp>
#include <boost/math/special_functions/bessel.hpp>
#include <gmock/gmock.h>

#include "earshot/collect/location/privacy_check.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/test_statistics.hpp"
#include "earshot/mechanism/euclidean_laplace.hpp"

namespace earshot {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Distances cell_distances(std::size_t rows, std::size_t columns, const CellSize& cell) {
  const std::size_t cells = rows * columns;
  Distances metric{cells, cells, {}};
  const auto apart = [](std::size_t a, std::size_t b) {
    return static_cast<double>(a) - static_cast<double>(b);
  };
  for (std::size_t x = 0; x < cells; ++x)
    for (std::size_t y = 0; y < cells; ++y)
      metric.value.push_back(std::hypot(cell.height * apart(x / columns, y / columns),
                                        cell.width * apart(x % columns, y % columns)));
  return metric;
}

/// P[one coordinate of the noise > t]: its density is epsilon^2 |x| K_1(epsilon |x|) / pi.
double beyond(double t, double epsilon) {
  boost::math::quadrature::exp_sinh<double> integrator;
  return integrator.integrate(
      [&](double s) {
        const double z = epsilon * (t + s);
        return z > 600 ? 0 : epsilon * z * boost::math::cyl_bessel_k(1, z) / std::numbers::pi;
      },
      0, HUGE_VAL);
}

// In one row of cells only the coordinate along it matters, whose distribution is known.
TEST(PlanarChannel, OneRowIsTheMarginalOfTheNoise) {
  for (const double epsilon : {0.01, 0.4, 2.0, 9.0}) {
    const Channel channel = planar_laplace_channel(1, 5, {0.7, 1.3}, epsilon);
    for (std::size_t x = 0; x < 5; ++x) {
      for (std::size_t y = x + 1; y < 5; ++y) {
        const double near = 1.3 * (static_cast<double>(y - x) - 0.5);
        const double expected = beyond(near, epsilon) - (y == 4 ? 0 : beyond(near + 1.3, epsilon));
        EXPECT_NEAR(channel(x, y), expected, 1e-12 + 1e-9 * expected);
        EXPECT_NEAR(channel(4 - x, 4 - y), expected, 1e-12 + 1e-9 * expected);
      }
    }
  }
}

TEST(PlanarChannel, IsGeoIndistinguishableUpToTheBorder) {
  for (const double epsilon : {0.05, 0.5, 3.0, 12.0}) {
    for (const CellSize& cell : {CellSize{1, 1}, CellSize{0.5, 2}}) {
      const Channel channel = planar_laplace_channel(4, 6, cell, epsilon);
      const double measured = metric_privacy(channel, cell_distances(4, 6, cell)).epsilon;
      EXPECT_LE(measured, epsilon * (1 + 1e-9));
      EXPECT_GT(measured, 0.5 * epsilon);
    }
  }
}

// The noise as it is drawn, moved to the nearest centre: 1e-7 false alarms per truth, at a fixed seed.
TEST(PlanarChannel, AgreesWithTheSampler) {
  constexpr double kEpsilon = 0.8;
  const Channel channel = planar_laplace_channel(3, 4, {1, 2}, kEpsilon);
  std::vector<PlanarPoint> centres;
  for (std::size_t cell = 0; cell < 12; ++cell)
    centres.push_back({2 * static_cast<double>(cell % 4), static_cast<double>(cell / 4)});
  const PlanarLaplace noise(kEpsilon, centres);
  Stream stream(StreamName{.seed = 41});
  for (const std::size_t x : {0U, 5U, 11U}) {
    std::map<std::size_t, std::uint64_t> counts;
    std::map<std::size_t, double> row;
    for (std::size_t y = 0; y < 12; ++y) row[y] = channel(x, y);
    for (int i = 0; i < 40000; ++i) {
      std::array<double, 2> at{centres[x].x, centres[x].y};
      noise.simulate(at, stream);
      ++counts[static_cast<std::size_t>(std::lround(at[1]) * 4 + std::lround(at[0] / 2))];
    }
    EXPECT_LT(chi_square_excess(counts, row), 1);
  }
}

TEST(PlanarChannel, ExtremesByRule) {
  EXPECT_THAT(planar_laplace_channel(2, 2, {1, 1}, 0).probability, Each(0.25));
  EXPECT_THAT(planar_laplace_channel(1, 1, {1, 1}, 0.3).probability, Each(1));
  for (const double epsilon : {1e4, 1e300, HUGE_VAL}) {
    const Channel channel = planar_laplace_channel(2, 3, {1, 1}, epsilon);
    for (std::size_t x = 0; x < 6; ++x)
      for (std::size_t y = 0; y < 6; ++y) EXPECT_EQ(channel(x, y), x == y ? 1 : 0);
  }
  // Almost no privacy loss left: the noise flies beyond the map, to its corners.
  const Channel channel = planar_laplace_channel(3, 3, {1, 1}, 1e-6);
  for (const std::size_t corner : {0U, 2U, 6U, 8U}) EXPECT_NEAR(channel(4, corner), 0.25, 1e-5);
}

TEST(PlanarChannel, WrongInputIsRefused) {
  EXPECT_THAT(
      [] {
        planar_laplace_channel(2, 2, {1, 1}, -1);
      },
      ThrowsMessage<Error>(HasSubstr("epsilon is -1")));
  EXPECT_THAT(
      [] {
        planar_laplace_channel(0, 2, {1, 1}, 1);
      },
      ThrowsMessage<Error>(HasSubstr("at least one cell")));
}

}  // namespace
}  // namespace earshot
