#include "earshot/collect/location/optimal_channel.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "earshot/collect/location/distance_channels.hpp"
#include "earshot/collect/location/privacy_check.hpp"
#include "earshot/collect/location/spanner.hpp"
#include "earshot/collect/location/test_places.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

double expected_loss(const std::vector<double>& prior, const Channel& channel, const Distances& loss) {
  double sum = 0;
  for (std::size_t x = 0; x < channel.inputs; ++x)
    for (std::size_t y = 0; y < channel.outputs; ++y) sum += prior[x] * channel(x, y) * loss(x, y);
  return sum;
}

TEST(OptimalChannel, TwoPlacesAreRandomisedResponse) {
  const Distances line = testing::line_metric(2);
  const OptimalChannel best = optimal_channel(std::vector{0.5, 0.5}, line, line, 1.2, 1);
  EXPECT_NEAR(best.loss, 1 / (1 + std::exp(1.2)), 1e-6);
  EXPECT_NEAR(best.channel(0, 0), 1 / (1 + std::exp(-1.2)), 1e-6);
}

/// The geometric mechanism on a line, cut off at both ends (Ghosh, Roughgarden & Sundararajan 2009).
double truncated_geometric(std::size_t x, std::size_t y, std::size_t places, double alpha) {
  const double power = std::pow(alpha, std::abs(static_cast<double>(x) - static_cast<double>(y)));
  return (y == 0 || y + 1 == places ? 1 : 1 - alpha) / (1 + alpha) * power;
}

// On a line some renaming of the geometric mechanism's reports is optimal for every prior (their Theorem
// 3.2): the best of all renamings is what the program must find.
TEST(OptimalChannel, OnALineTheGeometricMechanismIsOptimal) {
  constexpr std::size_t kPlaces = 4;
  const Distances line = testing::line_metric(kPlaces);
  Stream stream(StreamName{.seed = 61});
  for (const double epsilon : {0.2, 0.7, 1.5}) {
    const std::vector<double> prior = testing::random_distribution(kPlaces, stream);
    double best = HUGE_VAL;
    for (std::size_t renaming = 0; renaming < 256; ++renaming) {
      double loss = 0;
      for (std::size_t x = 0; x < kPlaces; ++x)
        for (std::size_t y = 0; y < kPlaces; ++y)
          loss += prior[x] * truncated_geometric(x, y, kPlaces, std::exp(-epsilon)) *
                  line(x, renaming >> (2 * y) & 3U);
      best = std::min(best, loss);
    }
    EXPECT_NEAR(optimal_channel(prior, line, line, epsilon, 1).loss, best, 1e-5 * best);
  }
}

TEST(OptimalChannel, BeatsOthersAndKeepsEpsilonWithFewerConstraints) {
  Stream stream(StreamName{.seed = 62});
  const Distances metric = testing::scattered_metric(9, 3, stream);
  const std::vector<double> prior = testing::random_distribution(9, stream);
  for (const double epsilon : {0.5, 2.0}) {
    const OptimalChannel best = optimal_channel(prior, metric, metric, epsilon, 1);
    const OptimalChannel reduced = optimal_channel(prior, metric, metric, epsilon, 1.4);
    for (const OptimalChannel* each : {&best, &reduced}) {
      EXPECT_LE(metric_privacy(each->channel, metric).epsilon, epsilon);
      EXPECT_NEAR(expected_loss(prior, each->channel, metric), each->loss, 1e-12);
    }
    EXPECT_LT(reduced.constraints, best.constraints / 2);
    EXPECT_LE(best.loss, reduced.loss * (1 + 1e-6));
    EXPECT_LE(reduced.loss, optimal_channel(prior, metric, metric, epsilon / 1.4, 1).loss * (1 + 1e-6));
    EXPECT_LT(best.loss, expected_loss(prior, exponential_kernel(metric, epsilon), metric));
  }
}

TEST(OptimalChannel, WrongInputIsRefused) {
  const Distances line = testing::line_metric(2);
  const std::vector<double> prior{0.5, 0.5};
  EXPECT_THAT([&] { optimal_channel(prior, line, line, 0, 1); },
              ThrowsMessage<Error>(HasSubstr("positive, finite epsilon")));
  EXPECT_THAT([&] { optimal_channel(prior, line, line, 1, 0.5); },
              ThrowsMessage<Error>(HasSubstr("at least 1")));
  const Distances many = testing::line_metric(151);
  EXPECT_THAT([&] { optimal_channel(prior, many, many, 1, 1); },
              ThrowsMessage<Error>(HasSubstr("coarser grid")));
}

TEST(Spanner, KeepsItsDilationWithFewEdges) {
  Stream stream(StreamName{.seed = 63});
  const Distances metric = testing::scattered_metric(40, 5, stream);
  for (const double dilation : {1.05, 1.5, 3.0}) {
    const auto edges = greedy_spanner(metric, dilation);
    EXPECT_LE(spanner_dilation(metric, edges), dilation * (1 + 1e-9));
    EXPECT_LT(edges.size(), dilation > 2 ? 60U : 780U);
  }
  // Along a line the neighbours say it all.
  EXPECT_EQ(greedy_spanner(testing::line_metric(10), 1).size(), 9U);
  EXPECT_EQ(spanner_dilation(testing::line_metric(3), {{0, 1}}), HUGE_VAL);
}

}  // namespace
}  // namespace earshot
