#include "earshot/accounting/metric_accountant.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(MetricAccountant, EpsilonsAndDeltasAddUp) {
  MetricAccountant accountant;
  accountant.add(*make_release(MetricRelease{"planar Laplace", 0.5, 0, "km"}), 4);
  EXPECT_DOUBLE_EQ(accountant.epsilon(), 2);
  EXPECT_EQ(accountant.delta(), 0);
  EXPECT_THAT(accountant.statement().definition, HasSubstr("d-privacy"));
  accountant.add(*repeated(2, make_release(MetricRelease{"truncated", 0.1, 0.01, "km"})));
  EXPECT_DOUBLE_EQ(accountant.epsilon(), 2.2);
  EXPECT_DOUBLE_EQ(accountant.delta(), 0.02);
  const auto near = accountant.at_distance(3);
  EXPECT_DOUBLE_EQ(near.epsilon, 6.6);
  const double share = 0.01 * std::exp(0.3);
  EXPECT_NEAR(near.delta, 1 - (1 - share) * (1 - share), 1e-15);
  EXPECT_EQ(accountant.at_distance(1000).delta, 1);  // far apart nothing is promised
}

/// Two randomisers on three places, composed by brute force over all sets of the product: the theorem's bound
/// holds at its stated epsilon and delta.
TEST(MetricAccountant, CompositionHoldsOnASmallChannel) {
  const double epsilon = 0.4;
  const double channel[2][3] = {{0.6, 0.3, 0.1}, {0.45, 0.35, 0.2}};  // of places at distance 1
  double delta = 0;  // set-wise, so that the single channel is (epsilon, delta)-approximate
  for (const int x : {0, 1}) {
    double sum = 0;
    for (int y = 0; y < 3; ++y) sum += std::max(0.0, std::exp(-epsilon) * channel[x][y] - channel[1 - x][y]);
    delta = std::max(delta, sum);
  }
  MetricAccountant accountant;
  accountant.add(*make_release(MetricRelease{"channel", epsilon, delta, "steps"}), 2);
  const auto bound = accountant.at_distance(1);
  for (const int x : {0, 1}) {
    double excess = 0;  // over the worst set
    for (int y = 0; y < 3; ++y) {
      for (int z = 0; z < 3; ++z) {
        excess += std::max(0.0, channel[x][y] * channel[x][z] -
                                    std::exp(bound.epsilon) * channel[1 - x][y] * channel[1 - x][z]);
      }
    }
    EXPECT_LE(excess, bound.delta + 1e-15);
  }
}

TEST(MetricAccountant, RefusesWhatIsNotMetric) {
  MetricAccountant accountant;
  EXPECT_THAT([&] { accountant.add(*make_release(GaussianRelease{1})); },
              ThrowsMessage<Error>(HasSubstr("cannot interpret a \"gaussian\" release")));
  accountant.add(*make_release(MetricRelease{"a", 1, 0, "km"}));
  EXPECT_THAT(
      [&] {
        accountant.add(*make_release(MetricRelease{"a", 1, 0, "cells"}));
      },
      ThrowsMessage<Error>(HasSubstr("different distances")));
  EXPECT_THROW(accountant.at_distance(-1), Error);
  EXPECT_THROW(MetricAccountant().statement(), Error);
}

}  // namespace
}  // namespace earshot
