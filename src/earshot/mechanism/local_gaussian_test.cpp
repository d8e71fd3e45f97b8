#include "earshot/mechanism/local_gaussian.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

TEST(ClipToNorm, ShortensOnlyWhatIsTooLong) {
  std::vector<double> value = {3, 4};
  clip_to_norm(value, 10);
  EXPECT_EQ(value, (std::vector<double>{3, 4}));
  clip_to_norm(value, 1);
  EXPECT_NEAR(value[0], 0.6, 1e-15);
  EXPECT_NEAR(value[1], 0.8, 1e-15);
  std::vector<double> zero = {0, 0};
  clip_to_norm(zero, 1);
  EXPECT_EQ(zero, (std::vector<double>{0, 0}));
}

TEST(ClipToNorm, RefusesValuesThatAreNotFinite) {
  std::vector<double> infinite = {std::numeric_limits<double>::infinity()};
  std::vector<double> nan = {std::nan("")};
  EXPECT_THROW(clip_to_norm(infinite, 1), Error);
  EXPECT_THROW(clip_to_norm(nan, 1), Error);
}

TEST(LocalGaussian, CalibrationMeetsItsTargetOverTheWholeRun) {
  for (const std::size_t releases : {1, 7, 100}) {
    const LocalGaussian mechanism = LocalGaussian::calibrated(0.5, 2.0, 1e-5, releases);
    EXPECT_NEAR(*mechanism.statement(releases).epsilon, 2.0, 1e-8);
    EXPECT_GT(*mechanism.statement(releases + 1).epsilon, 2.0);
  }
}

TEST(LocalGaussian, NoiseHasTheStatedDeviation) {
  const LocalGaussian mechanism(1.0, 2.5, 1e-5);
  Stream stream({3, Purpose::kTest});
  std::vector<double> value(40000, 0.0);
  mechanism.privatise(value, stream);
  double square = 0;
  for (const double x : value) square += x * x;
  // Chi-square with 40000 degrees of freedom: sd of the ratio is 0.0071; 5 sd, false alarm below 1e-6.
  EXPECT_NEAR(square / 40000 / 6.25, 1.0, 0.036);
}

TEST(NoMechanism, SaysThatNothingIsPrivate) {
  EXPECT_FALSE(NoMechanism().statement(1).is_private());
  EXPECT_TRUE(to_json(NoMechanism().statement(1)).at("epsilon").is_null());
}

TEST(MechanismComponents, GaussianNeedsExactlyOneOfEpsilonAndSigma) {
  const MechanismComponent& gaussian = mechanism_components()[1];
  EXPECT_THROW(gaussian.make(Settings(Json{{"clip", 1.0}, {"delta", 1e-5}}), 1), Error);
  EXPECT_THROW(
      gaussian.make(Settings(Json{{"clip", 1.0}, {"delta", 1e-5}, {"epsilon", 1.0}, {"sigma", 1.0}}), 1),
      Error);
  EXPECT_EQ(
      gaussian.make(Settings(Json{{"clip", 1.0}, {"delta", 1e-5}, {"sigma", 3.0}}), 1)->noise_deviation(),
      3.0);
}

}  // namespace
}  // namespace earshot
