#include "earshot/metric/statistics.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

const std::vector<double> kValues{2, 4, 4, 4, 5, 5, 7, 9};  // mean 5, squared deviations sum to 32

TEST(Statistics, HandComputedSummary) {
  const Summary summary = summarise(kValues);
  EXPECT_EQ(summary.count, 8u);
  EXPECT_DOUBLE_EQ(summary.mean, 5);
  EXPECT_DOUBLE_EQ(summary.deviation, std::sqrt(32.0 / 7));
  EXPECT_EQ(summary.minimum, 2);
  EXPECT_DOUBLE_EQ(summary.median, 4.5);
  EXPECT_EQ(summary.maximum, 9);
}

TEST(Statistics, DeviationSurvivesALargeOffset) {
  std::vector<double> shifted = kValues;
  for (double& value : shifted) value += 1e9;
  EXPECT_NEAR(sample_deviation(shifted), std::sqrt(32.0 / 7), 1e-9);
}

TEST(Statistics, ASingleValueHasNoSpread) {
  const Summary summary = summarise(std::vector<double>{3.5});
  EXPECT_EQ(summary.mean, 3.5);
  EXPECT_EQ(summary.deviation, 0);
  EXPECT_EQ(summary.median, 3.5);
}

// Definition 7 on 1..5: the quantile p lies at 1 + 4p.
TEST(Statistics, QuantilesInterpolate) {
  const std::vector<double> values{5, 1, 4, 2, 3};
  for (const double p : {0.0, 0.1, 0.25, 0.5, 0.9, 1.0}) EXPECT_DOUBLE_EQ(quantile(values, p), 1 + 4 * p);
}

TEST(Statistics, RefusesWhatHasNoAnswer) {
  EXPECT_THROW(mean({}), Error);
  EXPECT_THROW(quantile(kValues, 1.5), Error);
  EXPECT_THROW(quantile(kValues, std::nan("")), Error);
  EXPECT_THROW(summarise(std::vector<double>{1, std::nan("")}), Error);
  EXPECT_THROW(mean(std::vector<double>{std::numeric_limits<double>::infinity()}), Error);
}

}  // namespace
}  // namespace earshot
