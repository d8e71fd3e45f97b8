#include "earshot/collect/estimation/bayesian_update.hpp"

#include <gmock/gmock.h>

#include "earshot/collect/estimation/blahut_arimoto.hpp"
#include "earshot/collect/estimation/distribution.hpp"
#include "earshot/collect/estimation/test_mixtures.hpp"
#include "earshot/collect/estimation/utility.hpp"
#include "earshot/collect/location/distance_channels.hpp"
#include "earshot/collect/location/test_places.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using ::earshot::testing::grid_metric;
using ::earshot::testing::largest_difference;
using ::earshot::testing::naive_update;
using ::earshot::testing::random_channel;
using ::earshot::testing::random_distribution;
using ::earshot::testing::through;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::vector<double> random_counts(std::size_t reports, Stream& stream) {
  std::vector<double> counts(reports);
  for (double& count : counts) count = static_cast<double>(stream.below(20));
  counts.front() += 1;
  return counts;
}

TEST(BayesianUpdate, IsWhatTheFormulaSays) {
  Stream stream({1, Purpose::kTest});
  const ReportBatch batch{random_channel(7, 9, 0, stream), random_counts(9, stream)};
  const ReportLikelihood likelihood(batch);
  std::vector<double> theta = uniform_distribution(7);
  for (std::size_t steps = 1; steps <= 6; ++steps) {
    theta = naive_update(batch.channel, theta, normalised(batch.counts));
    const PlaceEstimate estimate = estimate_places(likelihood, {.iterations = steps});
    EXPECT_EQ(estimate.iterations, steps);
    EXPECT_LT(largest_difference(estimate.distribution, theta), 1e-14);
  }
}

TEST(BayesianUpdate, LikelihoodNeverFallsAndMassStays) {
  Stream stream({2, Purpose::kTest});
  for (int repetition = 0; repetition < 10; ++repetition) {
    const ReportBatch batch{random_channel(8, 8, 0, stream), random_counts(8, stream)};
    const ReportLikelihood likelihood(batch);
    const double best =
        estimate_places(likelihood, {.iterations = 1'000'000, .precision = 1e-9, .accelerated = true})
            .log_likelihood;
    double before = -HUGE_VAL;
    for (std::size_t steps = 1; steps < 60; ++steps) {
      const PlaceEstimate estimate = estimate_places(likelihood, {.iterations = steps});
      double mass = 0;
      for (const double p : estimate.distribution) mass += p;
      EXPECT_NEAR(mass, 1, 1e-13);
      EXPECT_GE(estimate.log_likelihood, before - 1e-14);
      EXPECT_GE(estimate.log_likelihood + estimate.gap, best);
      before = estimate.log_likelihood;
    }
  }
}

TEST(BayesianUpdate, WhatItPredictsExactlyIsAFixedPoint) {
  Stream stream({3, Purpose::kTest});
  const Channel channel = random_channel(6, 8, 0, stream);
  const std::vector<double> theta = random_distribution(6, stream);
  const ReportLikelihood likelihood(ReportBatch{channel, through(theta, channel)});
  const PlaceEstimate still = estimate_places(likelihood, {.iterations = 50, .start = theta});
  EXPECT_LT(largest_difference(still.distribution, theta), 1e-14);
}

TEST(BayesianUpdate, ReportsThatTellNothingLeaveTheStart) {
  // Three places in a row, all reported as the middle one: the cheapest channel within distortion 2/3, and
  // every distribution explains its reports alike (Biswas 2024, Example 3.6.1).
  const Channel middle{3, 3, {0, 1, 0, 0, 1, 0, 0, 1, 0}};
  EXPECT_DOUBLE_EQ(average_distortion(uniform_distribution(3), middle, grid_metric(1, 3)), 2.0 / 3);
  const std::vector<double> start{0.7, 0.1, 0.2};
  const PlaceEstimate estimate = estimate_places(ReportLikelihood(ReportBatch{middle, {0, 500, 0}}),
                                                 {.iterations = 100, .start = start});
  EXPECT_LT(largest_difference(estimate.distribution, start), 1e-15);
  EXPECT_LT(estimate.gap, 1e-15);  // 0 but for the rounding of sums, whose order the processor decides
}

TEST(BayesianUpdate, FindsTheClosedFormOfRandomisedResponse) {
  // The maximum is (q - e) / (p - e) while that is positive, p the probability of the truth and e of another.
  const double keep = 0.6;
  const double other = 0.4 / 3;
  const std::vector<double> counts{400, 250, 200, 150};
  const PlaceEstimate estimate = estimate_places(
      ReportLikelihood(ReportBatch{randomised_response_channel(4, std::log(keep / other)), counts}),
      {.iterations = 100'000, .precision = 1e-15, .accelerated = true});
  for (std::size_t x = 0; x < 4; ++x)
    EXPECT_NEAR(estimate.distribution[x], (counts[x] / 1000 - other) / (keep - other), 1e-7);
}

TEST(BayesianUpdate, AnInvertibleChannelHasOneLimit) {
  Stream stream({4, Purpose::kTest});
  const Channel channel = randomised_response_channel(5, 1.5);
  const std::vector<double> counts = random_counts(5, stream);
  const ReportLikelihood likelihood(ReportBatch{channel, counts});
  const auto limit = [&](std::vector<double> start) {
    return estimate_places(likelihood, {.iterations = 100'000, .precision = 1e-14, .start = std::move(start)})
        .distribution;
  };
  EXPECT_LT(largest_difference(limit(random_distribution(5, stream)), limit(random_distribution(5, stream))),
            1e-5);
}

TEST(BayesianUpdate, OneStepIsTheDualOfBlahutArimoto) {
  // Biswas 2024, section 3.5: with the prior as reports and the unnormalised kernel, transposed, as channel.
  Stream stream({5, Purpose::kTest});
  const Distances d = grid_metric(4, 4);
  const double beta = 0.9;
  const std::vector<double> prior = random_distribution(16, stream);
  const std::vector<double> start = random_distribution(16, stream);
  Channel kernel{16, 16, d.value};
  for (double& value : kernel.probability)
    value = std::exp(-beta * value);  // symmetric, so its own transpose
  const BlahutArimoto mechanism(d, beta);
  std::vector<double> theta = start;
  for (std::size_t t = 1; t <= 5; ++t) {
    theta = naive_update(kernel, theta, prior);
    const BlahutArimotoRun run = mechanism.run(prior, {.iterations = t, .start = start});
    EXPECT_LT(largest_difference(run.marginal, theta), 2e-16 * static_cast<double>(8 * t));
    const PlaceEstimate dual = estimate_places(mechanism.kernel(), prior, {.iterations = t, .start = start});
    EXPECT_EQ(dual.distribution, run.marginal);
  }
}

/// Sums over single reports, as the generalised update is printed: theta(x) / n times the sum over all
/// reports of C(x, y) / (theta C)(y), each with the channel of its batch.
std::vector<double> naive_generalised(std::span<const ReportBatch> batches,
                                      const std::vector<double>& theta) {
  std::vector<double> next(theta.size());
  double reports = 0;
  for (const ReportBatch& batch : batches) {
    const std::vector<double> predicted = through(theta, batch.channel);
    for (std::size_t y = 0; y < batch.counts.size(); ++y) {
      for (int i = 0; i < static_cast<int>(batch.counts[y]); ++i) {
        ++reports;
        for (std::size_t x = 0; x < theta.size(); ++x)
          next[x] += theta[x] * batch.channel(x, y) / predicted[y];
      }
    }
  }
  for (double& p : next) p /= reports;
  return next;
}

TEST(BayesianUpdate, MixesMechanismsAndBatchesOfAnySize) {
  Stream stream({6, Purpose::kTest});
  const std::vector<ReportBatch> batches{{random_channel(5, 5, 0, stream), random_counts(5, stream)},
                                         {randomised_response_channel(5, 2), {900, 10, 0, 3, 2}},
                                         {random_channel(5, 9, 0, stream), random_counts(9, stream)}};
  std::vector<double> theta = uniform_distribution(5);
  for (std::size_t steps = 1; steps <= 4; ++steps) {
    theta = naive_generalised(batches, theta);
    EXPECT_LT(largest_difference(
                  estimate_places(ReportLikelihood(batches), {.iterations = steps}).distribution, theta),
              1e-13);
  }
}

TEST(BayesianUpdate, OneBatchAndTheSameBatchTwiceAreTheSame) {
  Stream stream({7, Purpose::kTest});
  const ReportBatch batch{random_channel(6, 6, 0, stream), random_counts(6, stream)};
  const std::vector<ReportBatch> once{batch};
  const std::vector<ReportBatch> twice{batch, batch};
  const auto run = [](const ReportLikelihood& likelihood) {
    return estimate_places(likelihood, {.iterations = 30}).distribution;
  };
  EXPECT_EQ(run(ReportLikelihood(batch)), run(ReportLikelihood(once)));
  EXPECT_LT(largest_difference(run(ReportLikelihood(once)), run(ReportLikelihood(twice))), 1e-14);
}

TEST(BayesianUpdate, AccelerationNeverLosesLikelihood) {
  Stream stream({8, Purpose::kTest});
  for (int repetition = 0; repetition < 40; ++repetition) {
    const BlahutArimoto mechanism(grid_metric(3, 4), 0.2 + stream.uniform());
    const Channel channel = mechanism.channel(mechanism.run(random_distribution(12, stream), {}).shape);
    const ReportLikelihood likelihood(ReportBatch{channel, random_counts(12, stream)});
    double before = -HUGE_VAL;
    for (std::size_t leaps = 1; leaps <= 30; ++leaps) {
      const double fast =
          estimate_places(likelihood, {.iterations = 3 * leaps, .accelerated = true}).log_likelihood;
      EXPECT_GE(fast, before - 1e-14) << repetition << " " << leaps;
      before = fast;
    }
    // The same reach costs far fewer passes.
    const PlaceEstimate plain = estimate_places(likelihood, {.iterations = 3000});
    const PlaceEstimate fast = estimate_places(likelihood, {.iterations = 1000, .accelerated = true});
    EXPECT_GE(fast.log_likelihood, plain.log_likelihood - 1e-9) << repetition;
  }
}

TEST(BayesianUpdate, WhatCannotBeIsRefused) {
  const Channel identity{2, 2, {1, 0, 1, 0}};
  EXPECT_THAT(
      [&] {
        estimate_places(ReportLikelihood(ReportBatch{identity, {3, 1}}), {});
      },
      ThrowsMessage<Error>(HasSubstr("gives from no place")));
  const ReportLikelihood fine(ReportBatch{identity, {3, 0}});
  EXPECT_THAT(
      [&] {
        estimate_places(fine, {.start = {1, 0}});
      },
      ThrowsMessage<Error>(HasSubstr("positive everywhere")));
  EXPECT_THAT([&] { estimate_places(fine, {.iterations = 0}); },
              ThrowsMessage<Error>(HasSubstr("at least one")));
  EXPECT_THAT(
      [&] {
        ReportLikelihood(ReportBatch{identity, {0, 0}});
      },
      ThrowsMessage<Error>(HasSubstr("zero everywhere")));
  EXPECT_THAT(
      [&] {
        ReportLikelihood(ReportBatch{{2, 2, {1, 0, 1, 1}}, {1, 1}});
      },
      ThrowsMessage<Error>(HasSubstr("row of a channel")));
  EXPECT_EQ(estimate_places(ReportLikelihood(ReportBatch{{1, 1, {1}}, {7}}), {}).distribution,
            std::vector{1.0});
}

}  // namespace
}  // namespace earshot
