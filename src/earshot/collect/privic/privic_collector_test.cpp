#include "earshot/collect/privic/privic_collector.hpp"

#include <gmock/gmock.h>

#include "earshot/collect/estimation/distribution.hpp"
#include "earshot/collect/estimation/earth_mover.hpp"
#include "earshot/collect/estimation/test_mixtures.hpp"
#include "earshot/collect/location/privacy_check.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using ::earshot::testing::grid_metric;
using ::earshot::testing::largest_difference;
using ::earshot::testing::naive_update;
using ::earshot::testing::random_distribution;
using ::earshot::testing::through;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// Reports without sampling error: n times what the truth predicts.
std::vector<double> exact_reports(std::span<const double> truth, const Channel& channel, double n) {
  std::vector<double> counts = through(truth, channel);
  for (double& count : counts) count *= n;
  return counts;
}

Channel elastic(const Distances& d, double beta, std::span<const double> prior, std::size_t iterations) {
  const BlahutArimoto mechanism(d, beta);
  return mechanism.channel(mechanism.run(prior, {.iterations = iterations}).shape);
}

/// The corrected Algorithm 1, step by step: the estimate after batches of these sizes.
std::vector<double> by_hand(const Distances& d, const PrivicOptions& options, std::span<const double> truth,
                            const std::vector<double>& sizes) {
  std::vector<double> theta = uniform_distribution(d.inputs);
  double before = 0;
  for (const double n : sizes) {
    const Channel channel = elastic(d, options.beta, theta, options.mechanism_iterations);
    const std::vector<double> q = through(truth, channel);
    std::vector<double> mu = options.warm_start ? theta : uniform_distribution(d.inputs);
    for (std::size_t k = 0; k < options.estimate_iterations; ++k) mu = naive_update(channel, mu, q);
    for (std::size_t x = 0; x < mu.size(); ++x)
      theta[x] = options.combine ? (n * mu[x] + before * theta[x]) / (n + before) : mu[x];
    before += n;
  }
  return theta;
}

TEST(PrivicCollector, CyclesAreTheCorrectedAlgorithm) {
  Stream stream({1, Purpose::kTest});
  const Distances d = grid_metric(3, 4);
  const std::vector<double> truth = random_distribution(12, stream, 0.2);
  const std::vector<double> sizes{100, 300, 50, 700};
  for (const bool combine : {true, false}) {
    for (const bool warm : {true, false}) {
      const PrivicOptions options{.beta = 0.8, .warm_start = warm, .combine = combine};
      PrivicCollector collector(d, options);
      for (const double n : sizes) collector.receive(exact_reports(truth, collector.channel(), n));
      EXPECT_LT(largest_difference(collector.estimate(), by_hand(d, options, truth, sizes)), 1e-13);
    }
  }
}

TEST(PrivicCollector, AsPrintedEstimatesWithTheWrongChannel) {
  // Cycle 1 knows no other channel than that of the uniform prior; from cycle 2 on reports come through the
  // channel before the one they are estimated with.
  Stream stream({2, Purpose::kTest});
  const Distances d = grid_metric(2, 3);
  const std::vector<double> truth = random_distribution(6, stream);
  PrivicCollector collector(d, {.beta = 1, .combine = false, .as_published = true});
  const Channel first = collector.channel();
  EXPECT_EQ(first.probability, elastic(d, 1, uniform_distribution(6), 8).probability);
  collector.receive(exact_reports(truth, first, 1));
  const std::vector<double> theta(collector.estimate().begin(), collector.estimate().end());
  EXPECT_EQ(collector.channel().probability, first.probability);
  collector.receive(exact_reports(truth, collector.channel(), 1));
  std::vector<double> expected = theta;
  for (int k = 0; k < 10; ++k)
    expected = naive_update(elastic(d, 1, theta, 8), expected, through(truth, first));
  EXPECT_LT(largest_difference(collector.estimate(), expected), 1e-13);
}

TEST(PrivicCollector, EveryChannelIsTwoBetaPrivateAndTheEstimateSettles) {
  Stream stream({3, Purpose::kTest});
  const Distances d = grid_metric(4, 4);
  const std::vector<double> truth = random_distribution(16, stream);
  PrivicCollector collector(d, {.beta = 1, .combine = false});
  double before = HUGE_VAL;
  for (int cycle = 0; cycle < 30; ++cycle) {
    EXPECT_LE(metric_privacy(collector.channel(), d).epsilon, 2 * (1 + 1e-12));
    EXPECT_LT(collector.mechanism_gap(), 1);
    collector.receive(exact_reports(truth, collector.channel(), 1000));
    // Without sampling error every cycle is a step of ascent towards the truth.
    const double emd = earth_movers_distance(collector.estimate(), truth, d).distance;
    EXPECT_LT(emd, before);
    before = emd;
  }
  EXPECT_LT(before, 0.02);
  EXPECT_LT(collector.last_change(), 1e-3);
}

TEST(PrivicCollector, PooledReportsFindTheTruth) {
  Stream stream({4, Purpose::kTest});
  const Distances d = grid_metric(3, 3);
  const std::vector<double> truth = random_distribution(9, stream);
  PrivicCollector collector(d, {.beta = 1});
  for (int cycle = 0; cycle < 3; ++cycle) collector.receive(exact_reports(truth, collector.channel(), 500));
  EXPECT_EQ(collector.batches().size(), 3U);
  const PlaceEstimate pooled =
      collector.pooled({.iterations = 20'000, .precision = 1e-13, .accelerated = true});
  EXPECT_LT(largest_difference(pooled.distribution, truth), 1e-4);
}

TEST(PrivicCollector, ByRule) {
  PrivicCollector alone(Distances{1, 1, {0}}, {});
  alone.receive(std::vector{5.0});
  EXPECT_EQ(alone.estimate()[0], 1);
  // beta = 0 teaches nothing: every estimate stays uniform.
  PrivicCollector blind(grid_metric(1, 3), {.beta = 0});
  blind.receive(std::vector{9.0, 1.0, 2.0});
  EXPECT_LT(largest_difference(blind.estimate(), uniform_distribution(3)), 1e-15);
  EXPECT_THAT([&] { blind.receive(std::vector{1.0}); }, ThrowsMessage<Error>(HasSubstr("needs 3 entries")));
  EXPECT_THAT(
      [] {
        PrivicCollector(Distances{1, 2, {0, 1}}, {});
      },
      ThrowsMessage<Error>(HasSubstr("places themselves")));
}

}  // namespace
}  // namespace earshot
