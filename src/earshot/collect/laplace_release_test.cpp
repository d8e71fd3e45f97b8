#include "earshot/collect/laplace_release.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/collect/sensitivity.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using ::testing::HasSubstr;

MatrixXd random_points(Index axes, Index count, std::uint64_t seed, double scale = 1) {
  Stream stream({seed, Purpose::kTest});
  MatrixXd points(axes, count);
  for (double& x : points.reshaped()) x = scale * stream.normal();
  return points;
}

TEST(LaplaceRelease, ScaleIsSensitivityOverEpsilon) {
  EXPECT_DOUBLE_EQ(laplace_scale(3, {2, false}), 1.5);
  EXPECT_DOUBLE_EQ(laplace_variance(1, {1, false}), 2);   // Dwork et al. 2006: variance 2 b^2
  EXPECT_NEAR(laplace_variance(1, {1, true}), 1, 1e-15);  // the published code's, half of it
  EXPECT_THROW(laplace_scale(1, {0, false}), Error);
  EXPECT_THROW(laplace_scale(std::nan(""), {1, false}), Error);
}

TEST(LaplaceRelease, NoiseHasTheStatedMoments) {
  // 200,000 draws of Laplace(b = 0.5): the mean has standard error 0.5 sqrt(2 / 2e5) = 0.0016, the variance
  // 0.25 sqrt(20 / 2e5) = 0.0025. Six standard errors: false alarm below 1e-8.
  MatrixXd points = MatrixXd::Zero(4, 50'000);
  Stream stream({5, Purpose::kTest});
  add_laplace(points, 0.5, stream);
  EXPECT_NEAR(points.mean(), 0, 6 * 0.0016);
  EXPECT_NEAR(points.array().square().mean(), 0.5, 6 * 0.0025);
}

TEST(LaplaceRelease, LikelihoodRatioOfTheWorstPairIsExpEpsilon) {
  // The density ratio of a release between the two most distant points is largest at one of them.
  const MatrixXd points = random_points(3, 50, 6);
  const double sensitivity = l1_diameter(points);
  const double scale = laplace_scale(sensitivity, {0.7, false});
  double worst = 0;
  for (Index i = 0; i < points.cols(); ++i) {
    for (Index j = 0; j < points.cols(); ++j)
      worst = std::max(worst, (points.col(i) - points.col(j)).lpNorm<1>() / scale);
  }
  EXPECT_NEAR(worst, 0.7, 1e-12);
}

class Domains : public ::testing::TestWithParam<LatentDomain::Shape> {};

TEST_P(Domains, HoldEveryInputWithinTheirDiameter) {
  const MatrixXd seen = random_points(3, 80, 7);
  const LatentDomain domain = LatentDomain::around(GetParam(), seen, 0.9);
  MatrixXd unseen = random_points(3, 3000, 8, 100);  // far outside
  domain.clip(unseen);
  EXPECT_LE(l1_diameter(unseen), domain.diameter() * (1 + 1e-12));
  EXPECT_GE(l1_diameter(unseen), 0.9 * domain.diameter());  // the bound is not slack
  MatrixXd again = unseen;
  domain.clip(again);
  EXPECT_LE((again - unseen).cwiseAbs().maxCoeff(), 1e-12);
}

TEST_P(Domains, FullCoverageLeavesTheTrainingRecordsAlone) {
  const MatrixXd seen = random_points(4, 60, 9);
  const LatentDomain domain = LatentDomain::around(GetParam(), seen, 1);
  MatrixXd clipped = seen;
  domain.clip(clipped);
  EXPECT_LE((clipped - seen).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_GE(domain.diameter(), l1_diameter(seen) * (1 - 1e-12));
}

TEST_P(Domains, LessCoverageMeansASmallerDomain) {
  const MatrixXd seen = random_points(4, 200, 10);
  EXPECT_LT(LatentDomain::around(GetParam(), seen, 0.8).diameter(),
            LatentDomain::around(GetParam(), seen, 1).diameter());
  EXPECT_THROW(LatentDomain::around(GetParam(), seen, 0), Error);
  EXPECT_THROW(LatentDomain::around(GetParam(), seen, 1.1), Error);
  MatrixXd bad = seen;
  bad(0, 0) = std::nan("");
  EXPECT_THROW(LatentDomain::around(GetParam(), seen, 1).clip(bad), Error);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Domains,
                         ::testing::Values(LatentDomain::Shape::kBox, LatentDomain::Shape::kL1Ball));

TEST(LaplaceRelease, StatementsTellMeasuredFromGuaranteed) {
  const PrivacyStatement measured = release_statement({2, false}, std::nullopt);
  EXPECT_THAT(measured.definition, HasSubstr("not a worst-case guarantee"));
  EXPECT_THAT(measured.assumptions.front(), HasSubstr("measured on the data"));
  const LatentDomain domain = LatentDomain::around(LatentDomain::Shape::kBox, random_points(2, 10, 11), 1);
  const PrivacyStatement sound = release_statement({2, false}, domain);
  EXPECT_EQ(sound.definition, "epsilon-local differential privacy");
  EXPECT_DOUBLE_EQ(*sound.epsilon, 2);
  EXPECT_NEAR(*release_statement({2, true}, domain).epsilon, 2 * std::sqrt(2.0), 1e-12);
}

}  // namespace
}  // namespace earshot
