#include "earshot/collect/estimation/distribution.hpp"

#include <gmock/gmock.h>

#include "earshot/collect/estimation/test_mixtures.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using ::earshot::testing::random_distribution;
using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::vector<double> random_values(std::size_t size, Stream& stream) {
  std::vector<double> values(size);
  for (double& x : values) x = stream.normal();
  return values;
}

double squared_distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

TEST(Distribution, TheProjectionMeetsItsOptimalityConditions) {
  // Nearest point of the simplex: values minus one shift where positive, values at most the shift elsewhere.
  Stream stream({1, Purpose::kTest});
  for (int repetition = 0; repetition < 200; ++repetition) {
    const std::vector<double> values = random_values(1 + stream.below(12), stream);
    const std::vector<double> projected = project_to_simplex(values);
    EXPECT_NO_THROW(check_distribution(projected, values.size(), "a projection"));
    double shift = -HUGE_VAL;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (projected[i] > 0) shift = values[i] - projected[i];
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (projected[i] > 0)
        EXPECT_NEAR(values[i] - projected[i], shift, 1e-12);
      else
        EXPECT_LE(values[i], shift + 1e-12);
    }
  }
}

TEST(Distribution, NoPointOfTheSimplexIsNearer) {
  Stream stream({2, Purpose::kTest});
  for (int repetition = 0; repetition < 50; ++repetition) {
    const std::vector<double> values = random_values(4, stream);
    const double nearest = squared_distance(values, project_to_simplex(values));
    for (int other = 0; other < 200; ++other)
      EXPECT_LE(nearest, squared_distance(values, random_distribution(4, stream, 0.3)) + 1e-12);
    EXPECT_LE(nearest, squared_distance(values, clip_and_normalise(values)) + 1e-12);
  }
}

TEST(Distribution, RulesForWhatIsNoDistribution) {
  EXPECT_THAT(clip_and_normalise(std::vector{-1.0, 3.0, 1.0}), ElementsAre(0, 0.75, 0.25));
  EXPECT_THAT(clip_and_normalise(std::vector{-1.0, 0.0}), ElementsAre(0.5, 0.5));
  EXPECT_THAT(project_to_simplex(std::vector{5.0}), ElementsAre(1));
  EXPECT_THAT(total_variation(std::vector{1.0, 0.0}, std::vector{0.25, 0.75}), DoubleEq(0.75));
  const auto check = [](std::vector<double> values) {
    return [values] { check_distribution(values, 2, "the prior"); };
  };
  EXPECT_NO_THROW(check({0.25, 0.75})());
  EXPECT_THAT(check({0.5}), ThrowsMessage<Error>(HasSubstr("needs 2 entries, one per place, not 1")));
  EXPECT_THAT(check({0.5, 0.6}), ThrowsMessage<Error>(HasSubstr("the prior adds up to 1.1")));
  EXPECT_THAT(check({1.5, -0.5}), ThrowsMessage<Error>(HasSubstr("negative")));
  EXPECT_THAT(check({std::nan(""), 1}), ThrowsMessage<Error>(HasSubstr("not finite")));
  EXPECT_THAT(check({0, 0}), ThrowsMessage<Error>(HasSubstr("zero everywhere")));
}

}  // namespace
}  // namespace earshot
