#include "earshot/collect/location/row_profile.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "earshot/collect/location/distance_channels.hpp"
#include "earshot/collect/location/privacy_check.hpp"
#include "earshot/collect/location/test_places.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

TEST(RowProfile, ByHand) {
  const Distances line = testing::line_metric(2);
  const auto profiles = row_profiles({2, 2, {0.25, 0.75, 0.125, 0.875}}, line, line);
  EXPECT_EQ(profiles[0].self_report, 0.25);
  EXPECT_EQ(profiles[0].likeliest, 1U);
  EXPECT_EQ(profiles[0].expected_distance, 0.75);
  EXPECT_NEAR(profiles[1].epsilon, std::log(2), 1e-15);
}

TEST(RowProfile, TheWorstRowIsTheChannels) {
  Stream stream(StreamName{.seed = 71});
  const Distances metric = testing::scattered_metric(20, 3, stream);
  const Channel channel = testing::random_channel(20, 20, 0, stream);
  double worst = 0;
  for (const RowProfile& profile : row_profiles(channel, metric, metric))
    worst = std::max(worst, profile.epsilon);
  EXPECT_NEAR(worst, metric_privacy(channel, metric).epsilon, 1e-9 * worst);
  const auto impossible =
      row_profiles({2, 2, {1, 0, 0.5, 0.5}}, testing::line_metric(2), testing::line_metric(2));
  EXPECT_EQ(impossible[0].epsilon, HUGE_VAL);
}

// Iterating the elastic form to its fixed point is Blahut-Arimoto's iteration.
TEST(RowProfile, ElasticFormIsAFixedPoint) {
  Stream stream(StreamName{.seed = 72});
  const Distances metric = testing::scattered_metric(8, 3, stream);
  const std::vector<double> prior = testing::random_channel(1, 8, 0, stream).probability;
  Channel channel = laplace_kernel(metric, 0.7);
  EXPECT_GT(elastic_residual(channel, prior, metric, 0.7), 1e-3);
  for (int step = 0; step < 20000; ++step) {
    std::vector<double> mass(8);
    for (std::size_t x = 0; x < 8; ++x)
      for (std::size_t y = 0; y < 8; ++y) mass[y] += prior[x] * channel(x, y);
    for (std::size_t x = 0; x < 8; ++x) {
      double sum = 0;
      for (std::size_t y = 0; y < 8; ++y) sum += channel.row(x)[y] = mass[y] * std::exp(-0.7 * metric(x, y));
      for (double& p : channel.row(x)) p /= sum;
    }
  }
  EXPECT_LT(elastic_residual(channel, prior, metric, 0.7), 1e-6);
  EXPECT_THROW(elastic_residual(channel, {1}, metric, 0.7), Error);
}

}  // namespace
}  // namespace earshot
