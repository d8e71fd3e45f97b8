#include "earshot/collect/estimation/bootstrap.hpp"

#include <cmath>
#include <map>

#include <gmock/gmock.h>

#include "earshot/collect/estimation/categorical.hpp"
#include "earshot/collect/estimation/test_mixtures.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/parallel.hpp"
#include "earshot/core/test_statistics.hpp"

namespace earshot {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr double kKeep = 0.7;
constexpr double kOther = 0.1;
const Channel kResponse{4,
                        4,
                        {kKeep, kOther, kOther, kOther, kOther, kKeep, kOther, kOther, kOther, kOther, kKeep,
                         kOther, kOther, kOther, kOther, kKeep}};
const std::vector<double> kTruth{0.4, 0.3, 0.2, 0.1};
const BayesianUpdateOptions kMaximum{.iterations = 300, .precision = 1e-8, .start = {}, .accelerated = true};

ReportBatch collected(std::size_t reports, std::uint64_t trial) {
  ReportBatch batch{kResponse, std::vector<double>(4)};
  Stream stream({5, Purpose::kTest, trial});
  Categorical(earshot::testing::through(kTruth, kResponse)).count(reports, stream, batch.counts);
  return batch;
}

ErrorBars bars_of(const ReportBatch& batch, const BootstrapOptions& options) {
  const std::vector<double> estimate = estimate_places(ReportLikelihood(batch), kMaximum).distribution;
  return bootstrap_error_bars(std::span(&batch, 1), estimate, options);
}

TEST(Bootstrap, StandardErrorsAreThoseOfTheClosedForm) {
  // The estimate is (q - e) / (p - e), so its variance q (1 - q) / n / (p - e)^2 at the estimated q. 400
  // replicates give a standard error within 1 / sqrt(800) = 3.5 % of it; 5.5 times that fails once in 1e7.
  const std::size_t reports = 20'000;
  const ReportBatch batch = collected(reports, 0);
  const ErrorBars bars =
      bars_of(batch, {.replicates = 400, .estimator = kMaximum, .randomness = {9, Purpose::kTest}});
  for (std::size_t x = 0; x < 4; ++x) {
    const double q = batch.counts[x] / static_cast<double>(reports);
    const double expected = std::sqrt(q * (1 - q) / static_cast<double>(reports)) / (kKeep - kOther);
    EXPECT_NEAR(bars.standard_error[x] / expected, 1, 0.2);
    EXPECT_LT(bars.lower[x], bars.upper[x]);
  }
}

TEST(Bootstrap, IntervalsCoverTheTruthAsOftenAsTheySay) {
  // 90 % intervals of 150 collections, one place each: 108 to 149 of them cover unless an event of
  // probability below 1e-6 happens (binomial tails at a true coverage between 0.87, as few replicates cost
  // some, and 0.91).
  std::size_t covered = 0;
  for (std::uint64_t trial = 0; trial < 150; ++trial) {
    const ErrorBars bars = bars_of(
        collected(1000, trial + 1),
        {.replicates = 60, .level = 0.9, .estimator = kMaximum, .randomness = {9, Purpose::kTest, trial}});
    covered += bars.lower[1] <= kTruth[1] && kTruth[1] <= bars.upper[1] ? 1 : 0;
  }
  EXPECT_GE(covered, 108U);
  EXPECT_LE(covered, 149U);
}

TEST(Bootstrap, SameBarsForAnyNumberOfThreadsAndTwoBatches) {
  const std::vector<ReportBatch> batches{collected(500, 1), collected(90, 2)};
  const BootstrapOptions options{.replicates = 20, .estimator = kMaximum, .randomness = {1, Purpose::kTest}};
  set_thread_count(1);
  const ErrorBars alone = bootstrap_error_bars(batches, kTruth, options);
  set_thread_count(2);
  const ErrorBars shared = bootstrap_error_bars(batches, kTruth, options);
  set_thread_count(0);
  EXPECT_EQ(alone.standard_error, shared.standard_error);
  EXPECT_EQ(alone.lower, shared.lower);
  EXPECT_THAT([&] { bootstrap_error_bars(batches, kTruth, {.replicates = 1}); },
              ThrowsMessage<Error>(HasSubstr("two replicates")));
}

TEST(Categorical, DrawsWhatItWasGiven) {
  Stream shape({3, Purpose::kTest});
  const std::vector<double> p = earshot::testing::random_distribution(40, shape, 0.3);
  const Categorical categorical(p);
  Stream stream({4, Purpose::kTest});
  std::map<std::size_t, std::uint64_t> counts;
  for (int i = 0; i < 200'000; ++i) ++counts[categorical.draw(stream)];
  std::map<std::size_t, double> probability;
  for (std::size_t i = 0; i < p.size(); ++i) probability[i] = p[i];
  EXPECT_LT(chi_square_excess(counts, probability), 1);
  for (const auto& [outcome, count] : counts) EXPECT_GT(p[outcome], 0);
  EXPECT_EQ(Categorical(std::vector{1.0}).draw(stream), 0U);
}

}  // namespace
}  // namespace earshot
