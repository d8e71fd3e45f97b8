#include "earshot/training/synthetic_data.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace earshot {
namespace {

TrainingData drawn(const Json& settings, std::uint64_t seed = 1) {
  DataChoice choice{.name = "two_gaussians", .settings = settings};
  choice.seed = seed;
  return load_training_data(choice, {});
}

std::vector<double> inputs(const TrainingData& data) {
  std::vector<std::size_t> all(data.examples->size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  ExampleMemory memory;
  const auto problem = data.examples->gather(all, 2, 0, memory);
  return {problem.inputs.begin(), problem.inputs.end()};
}

/// Means of 10,000 numbers of deviation 0.5, variances likewise: 6 deviations of the estimates, so that all
/// eight checks together fail by chance less than once in 1e7.
TEST(TwoGaussians, HaveTheMeansAndDeviationAskedFor) {
  const TrainingData data =
      drawn({{"records", 20000}, {"test_records", 0}, {"deviation", 0.5}, {"separation", 2}});
  const std::vector<double> values = inputs(data);
  for (const std::size_t label : {0U, 1U}) {
    for (const std::size_t axis : {0U, 1U}) {
      double mean = 0, variance = 0;
      const double centre = label == 0 ? -2 : 2;
      for (std::size_t i = label; i < 20000; i += 2) {
        EXPECT_EQ(data.examples->targets().values[i], static_cast<double>(label));
        mean += values[2 * i + axis] / 10000;
        variance += std::pow(values[2 * i + axis] - centre, 2) / 10000;
      }
      EXPECT_NEAR(mean, centre, 6 * 0.5 / 100);
      EXPECT_NEAR(variance, 0.25, 6 * 0.25 * std::sqrt(2.0) / 100);
    }
  }
}

TEST(TwoGaussians, AreTestedOnFreshRecordsOrOnTheSame) {
  const TrainingData fresh = drawn({{"records", 10}, {"test_records", 7}});
  EXPECT_EQ(fresh.parts.train.size(), 10U);
  EXPECT_EQ(fresh.parts.test.size(), 7U);
  EXPECT_EQ(fresh.parts.test.front(), 10U);
  const TrainingData same = drawn({{"records", 10}, {"test_records", 0}});
  EXPECT_EQ(same.parts.test, same.parts.train);
  EXPECT_EQ(same.description.at("split"), "tested on the training records");
}

TEST(TwoGaussians, FollowFromTheSeed) {
  EXPECT_EQ(inputs(drawn({{"records", 10}})), inputs(drawn({{"records", 10}})));
  EXPECT_NE(inputs(drawn({{"records", 10}})), inputs(drawn({{"records", 10}}, 2)));
}

}  // namespace
}  // namespace earshot
