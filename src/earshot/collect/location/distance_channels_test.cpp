#include "earshot/collect/location/distance_channels.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "earshot/collect/location/distances.hpp"
#include "earshot/collect/location/privacy_check.hpp"
#include "earshot/collect/location/test_places.hpp"
#include "earshot/core/error.hpp"
#include "earshot/mechanism/randomised_response.hpp"
#include "earshot/mechanism/truncated_laplace.hpp"

namespace earshot {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr double kInfinity = HUGE_VAL;

TEST(DistanceChannels, LaplaceKernelByHand) {
  const Channel channel = laplace_kernel(testing::line_metric(3), std::log(2));
  EXPECT_THAT(channel.row(0),
              ElementsAre(DoubleNear(4. / 7, 1e-15), DoubleNear(2. / 7, 1e-15), DoubleNear(1. / 7, 1e-15)));
  EXPECT_THAT(channel.row(1),
              ElementsAre(DoubleNear(0.25, 1e-15), DoubleNear(0.5, 1e-15), DoubleNear(0.25, 1e-15)));
}

TEST(DistanceChannels, NormalisingCostsAtMostAnotherEpsilon) {
  Stream stream(StreamName{.seed = 31});
  for (const double epsilon : {0.1, 0.7, 2.0, 5.0}) {
    for (int repeat = 0; repeat < 5; ++repeat) {
      const Distances metric = testing::scattered_metric(20, 4, stream);
      EXPECT_LE(metric_privacy(laplace_kernel(metric, epsilon), metric).epsilon, 2 * epsilon * (1 + 1e-9));
      EXPECT_GE(metric_privacy(laplace_kernel(metric, epsilon), metric).epsilon, epsilon);
      EXPECT_LE(metric_privacy(exponential_kernel(metric, epsilon), metric).epsilon, epsilon * (1 + 1e-9));
    }
  }
}

TEST(DistanceChannels, AWiderMapLeaksLessAtTheBorder) {
  const PlaceGrid grid = PlaceGrid::published(GowallaCity::kParis);
  const Distances metric = distances(grid, DistanceUnit::kCells);
  const double narrow = metric_privacy(laplace_kernel(metric, 2), metric).epsilon;
  const Channel wide = laplace_kernel(distances(grid, grid.widened(5), DistanceUnit::kCells), 2);
  EXPECT_EQ(wide.outputs, 21U * 25U);
  EXPECT_LT(metric_privacy(wide, metric).epsilon, narrow);
  EXPECT_NEAR(metric_privacy(wide, metric).epsilon, 2, 1e-2);
}

TEST(DistanceChannels, TruncationAgreesWithTheMechanismThatIsSampled) {
  Stream stream(StreamName{.seed = 32});
  const Distances metric = testing::scattered_metric(15, 4, stream);
  const Channel channel = truncated_laplace_kernel(metric, 0.8, 1.5);
  const TruncatedLaplace mechanism(metric.value, 0.8, 1.5, "metres");
  for (std::size_t x = 0; x < 15; ++x)
    for (std::size_t y = 0; y < 15; ++y) EXPECT_NEAR(channel(x, y), mechanism.probability(y, x), 1e-8);
  const Channel itself = truncated_laplace_kernel(metric, 0.8, 0);
  for (std::size_t x = 0; x < 15; ++x) EXPECT_EQ(itself(x, x), 1);
}

TEST(DistanceChannels, RandomisedResponseAgreesWithTheMechanism) {
  const Channel channel = randomised_response_channel(5, 1.3);
  const RandomisedResponse mechanism(5, 1.3);
  for (std::size_t x = 0; x < 5; ++x)
    for (std::size_t y = 0; y < 5; ++y) EXPECT_NEAR(channel(x, y), mechanism.probability(y, x), 1e-15);
  EXPECT_NEAR(local_privacy(channel).epsilon, 1.3, 1e-12);
  EXPECT_NEAR(metric_privacy(channel, discrete_metric(5)).epsilon, 1.3, 1e-12);
}

TEST(DistanceChannels, EpsilonZeroIsUniformAndInfinityTheNearest) {
  const Distances line = testing::line_metric(4);
  for (const Channel& channel : {laplace_kernel(line, 0), exponential_kernel(line, 0),
                                 truncated_laplace_kernel(line, 0, 9), randomised_response_channel(4, 0)}) {
    EXPECT_THAT(channel.probability, ::testing::Each(0.25));
    EXPECT_EQ(local_privacy(channel).epsilon, 0);
  }
  for (const double epsilon : {1e6, kInfinity}) {
    for (const Channel& channel :
         {laplace_kernel(line, epsilon), exponential_kernel(line, epsilon),
          truncated_laplace_kernel(line, epsilon, 2), randomised_response_channel(4, epsilon)}) {
      for (std::size_t x = 0; x < 4; ++x)
        for (std::size_t y = 0; y < 4; ++y) EXPECT_EQ(channel(x, y), x == y ? 1 : 0);
      EXPECT_EQ(metric_privacy(channel, line).epsilon, kInfinity);
    }
  }
  // Two reports equally near share.
  EXPECT_THAT(laplace_kernel({1, 3, {1, 1, 2}}, kInfinity).row(0), ElementsAre(0.5, 0.5, 0));
}

TEST(DistanceChannels, OnePlaceIsAlwaysReported) {
  EXPECT_THAT(laplace_kernel({1, 1, {0}}, 0.5).probability, ElementsAre(1));
  EXPECT_THAT(randomised_response_channel(1, 0.5).probability, ElementsAre(1));
}

TEST(DistanceChannels, WrongInputIsRefused) {
  const Distances line = testing::line_metric(3);
  EXPECT_THAT([&] { laplace_kernel(line, -1); }, ThrowsMessage<Error>(HasSubstr("epsilon is -1")));
  EXPECT_THAT([&] { laplace_kernel(line, std::nan("")); }, ThrowsMessage<Error>(HasSubstr("epsilon is nan")));
  EXPECT_THAT([&] { truncated_laplace_kernel(line, 1, -1); }, ThrowsMessage<Error>(HasSubstr("radius")));
  EXPECT_THAT(
      [&] {
        laplace_kernel({1, 2, {0, std::nan("")}}, 1);
      },
      ThrowsMessage<Error>(HasSubstr("distances")));
  EXPECT_THAT(
      [&] {
        truncated_laplace_kernel({1, 1, {5}}, 1, 2);
      },
      ThrowsMessage<Error>(HasSubstr("no report lies within 2 of place 0")));
}

}  // namespace
}  // namespace earshot
