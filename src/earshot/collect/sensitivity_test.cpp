#include "earshot/collect/sensitivity.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"

namespace earshot {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd random_points(Index axes, Index count, std::uint64_t seed) {
  Stream stream({seed, Purpose::kTest});
  MatrixXd points(axes, count);
  for (double& x : points.reshaped()) x = stream.normal();
  return points;
}

/// Every pair, nothing else.
double brute_force(const MatrixXd& points) {
  double best = 0;
  for (Index i = 0; i < points.cols(); ++i) {
    for (Index j = 0; j < i; ++j) {
      double distance = 0;
      for (Index z = 0; z < points.rows(); ++z) distance += std::abs(points(z, i) - points(z, j));
      best = std::max(best, distance);
    }
  }
  return best;
}

TEST(Sensitivity, AllWaysAgreeWithBruteForce) {
  std::uint64_t seed = 1;
  for (const Index axes : {1, 2, 3, 5, 8, 11}) {
    for (const Index count : {1, 2, 3, 17, 150}) {
      const MatrixXd points = random_points(axes, count, seed++);
      const double expected = brute_force(points);
      EXPECT_NEAR(l1_diameter_by_signs(points), expected, 1e-13 * expected) << axes << " x " << count;
      EXPECT_NEAR(l1_diameter_by_pairs(points), expected, 1e-13 * expected) << axes << " x " << count;
      EXPECT_NEAR(l1_diameter(points), expected, 1e-13 * expected) << axes << " x " << count;
    }
  }
}

TEST(Sensitivity, PairsAreNotLostToPruningOnHardShapes) {
  // Clusters, points on a sphere (all equally far from the centre), heavy tails, repeated points.
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    MatrixXd points = random_points(6, 120, 100 + seed);
    if (seed % 4 == 0) points.colwise().normalize();
    if (seed % 4 == 1) points.leftCols(60).array() += 5;
    if (seed % 4 == 2) points = points.array().cube();
    if (seed % 4 == 3) points.rightCols(60) = points.leftCols(60);
    EXPECT_NEAR(l1_diameter_by_pairs(points), brute_force(points), 1e-12 * brute_force(points));
  }
}

TEST(Sensitivity, DoesNotDependOnShiftAndScalesWithTheData) {
  const MatrixXd points = random_points(4, 60, 9);
  const MatrixXd moved = 3 * (points.colwise() + VectorXd::LinSpaced(4, -2, 7));
  EXPECT_NEAR(l1_diameter(moved), 3 * l1_diameter(points), 1e-12);
}

TEST(Sensitivity, BoxIsTheDiameterOfItsCorners) {
  const MatrixXd encoder = random_points(3, 5, 11);
  const VectorXd widths = random_points(5, 1, 12).cwiseAbs();
  MatrixXd corners(5, 32);
  for (Index c = 0; c < 32; ++c) {
    for (Index k = 0; k < 5; ++k) corners(k, c) = (c >> k & 1) != 0 ? widths[k] / 2 : -widths[k] / 2;
  }
  EXPECT_NEAR(l1_diameter_of_box(encoder, widths), brute_force(encoder * corners), 1e-12);
}

TEST(Sensitivity, BallOfOrthogonalRowsHasTheFrobeniusNorm) {
  MatrixXd encoder = MatrixXd::Zero(3, 4);
  encoder(0, 0) = 2;
  encoder(1, 1) = 1;
  encoder(2, 3) = 0.5;
  EXPECT_NEAR(l1_diameter_of_ball(encoder, 1.5), 2 * 1.5 * encoder.norm(), 1e-12);
  const MatrixXd skew = random_points(3, 4, 13);
  EXPECT_GT(l1_diameter_of_ball(skew, 1.5), 2 * 1.5 * skew.norm());
}

TEST(Sensitivity, BallBoundsItsMembersAndIsReached) {
  const MatrixXd encoder = random_points(3, 4, 14);
  const double bound = l1_diameter_of_ball(encoder, 1);
  MatrixXd sphere = random_points(4, 400, 15);
  sphere.colwise().normalize();
  const double seen = brute_force(encoder * sphere);
  EXPECT_LE(seen, bound);
  // Two opposite points along the best sign vector reach it.
  double reached = 0;
  for (int code = 0; code < 8; ++code) {
    const VectorXd signs = Eigen::Vector3d(code & 1 ? 1 : -1, code & 2 ? 1 : -1, code & 4 ? 1 : -1);
    const VectorXd x = (encoder.transpose() * signs).normalized();
    reached = std::max(reached, (2 * encoder * x).lpNorm<1>());
  }
  EXPECT_NEAR(reached, bound, 1e-12);
}

TEST(Sensitivity, RefusesWhatHasNoAnswer) {
  EXPECT_THROW(l1_diameter(MatrixXd(3, 0)), Error);
  MatrixXd points = random_points(2, 4, 16);
  points(1, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(l1_diameter(points), Error);
  EXPECT_THROW(l1_diameter_by_signs(MatrixXd::Zero(25, 2)), Error);
  EXPECT_THROW(l1_diameter_of_box(MatrixXd::Identity(2, 2), VectorXd::Constant(2, -1)), Error);
  EXPECT_THROW(l1_diameter_of_ball(MatrixXd::Identity(2, 2), -1), Error);
}

}  // namespace
}  // namespace earshot
