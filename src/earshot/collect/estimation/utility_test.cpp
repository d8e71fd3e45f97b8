#include "earshot/collect/estimation/utility.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "earshot/collect/estimation/test_mixtures.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using ::earshot::testing::grid_metric;
using ::earshot::testing::random_channel;
using ::earshot::testing::random_distribution;
using ::earshot::testing::through;

TEST(Utility, InformationOfABinarySymmetricChannel) {
  const Channel channel{2, 2, {0.9, 0.1, 0.1, 0.9}};
  const double h = -0.9 * std::log2(0.9) - 0.1 * std::log2(0.1);
  EXPECT_NEAR(bits(mutual_information(std::vector{0.5, 0.5}, channel)), 1 - h, 1e-15);
  EXPECT_EQ(mutual_information(std::vector{1.0, 0.0}, channel), 0);
}

TEST(Utility, InformationIsEntropyOfReportsMinusThatOfNoise) {
  Stream stream({1, Purpose::kTest});
  const std::vector<double> prior = random_distribution(5, stream, 0.3);
  const Channel channel = random_channel(5, 7, 0.3, stream);
  double noise = 0;
  for (std::size_t x = 0; x < 5; ++x) noise += prior[x] * entropy(channel.row(x));
  EXPECT_NEAR(mutual_information(prior, channel), entropy(through(prior, channel)) - noise, 1e-14);
  EXPECT_NEAR(entropy(std::vector<double>(8, 0.125)), std::log(8.0), 1e-15);
}

TEST(Utility, DistancesOfReports) {
  const Distances line = grid_metric(1, 3);
  const Channel channel{3, 3, {0.5, 0.3, 0.2, 0, 1, 0, 0.25, 0.25, 0.5}};
  const std::vector<double> prior{0.5, 0.25, 0.25};
  // Distance 0: 0.25 + 0.25 + 0.125, distance 1: 0.15 + 0.0625, distance 2: 0.1 + 0.0625.
  EXPECT_DOUBLE_EQ(average_distortion(prior, channel, line), 0.2125 + 2 * 0.1625);
  EXPECT_DOUBLE_EQ(share_within(prior, channel, line, 0), 0.625);
  EXPECT_DOUBLE_EQ(share_within(prior, channel, line, 1), 0.8375);
  EXPECT_EQ(distortion_quantile(prior, channel, line, 0.625), 0);
  EXPECT_EQ(distortion_quantile(prior, channel, line, 0.63), 1);
  EXPECT_EQ(distortion_quantile(prior, channel, line, 1), 2);
  EXPECT_THROW(distortion_quantile(prior, channel, line, 0), Error);
  EXPECT_THROW(average_distortion(prior, channel, grid_metric(1, 2)), Error);
}

}  // namespace
}  // namespace earshot
