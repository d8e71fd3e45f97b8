#include "earshot/training/private_step.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/accounting/gaussian_curve.hpp"
#include "earshot/accounting/rdp_accountant.hpp"
#include "earshot/core/error.hpp"
#include "earshot/model/native/native_model.hpp"
#include "earshot/training/split.hpp"

namespace earshot {
namespace {

constexpr std::size_t kRecords = 40;

struct Setting {
  std::unique_ptr<Model> model =
      make_native_model({"", {3}, {Dense{4}, Activate{ActivationKind::kTanh}, Dense{2}}});
  std::unique_ptr<Examples> examples;
  std::unique_ptr<Worker> worker = make_worker(*model, Precision::kDouble);
  std::vector<double> parameters = std::vector<double>(model->parameter_count());

  Setting() {
    Stream stream({1, Purpose::kTest});
    std::vector<double> inputs(3 * kRecords), labels(kRecords);
    for (double& x : inputs) x = 2 * stream.normal();
    for (double& y : labels) y = static_cast<double>(stream.below(2));
    for (double& p : parameters) p = stream.normal();
    examples = record_examples({3}, inputs, {2, labels});
  }

  std::vector<double> noisy_mean(PrivateSteps& steps, std::span<const std::size_t> chosen,
                                 std::size_t together, std::uint64_t step = 0) {
    std::vector<double> out(parameters.size());
    steps.gradient(*worker, *examples, {chosen, together, 2, parameters, {}, 0}, step, out);
    return out;
  }
};

/// One record at a time through the ordinary gradient: the oracle of per-example clipping.
TEST(PrivateSteps, SumsClippedGradients) {
  Setting s;
  const PrivacyOptions options{.clip = 0.7, .noise = 1e-12};
  PrivateSteps steps(options, all_of(kRecords), 16, 1);
  const std::vector<std::size_t> chosen{3, 4, 9, 20, 21, 39};
  std::vector<double> expected(s.parameters.size());
  std::size_t clipped = 0;
  for (const std::size_t i : chosen) {
    std::vector<double> g(expected.size());
    Problems<double> one = s.examples->gather({&i, 1}, 2, 0);
    one.parameters = s.parameters;
    s.worker->gradient(one, g);
    const double norm = std::sqrt(std::inner_product(g.begin(), g.end(), g.begin(), 0.0));
    clipped += norm > 0.7;
    for (std::size_t k = 0; k < g.size(); ++k) expected[k] += g[k] * std::min(1.0, 0.7 / norm) / 16;
  }
  ASSERT_GT(clipped, 0U);
  ASSERT_LT(clipped, chosen.size());
  for (const std::size_t together : {1, 4, 6, 100}) {
    const std::vector<double> out = s.noisy_mean(steps, chosen, together);
    for (std::size_t k = 0; k < out.size(); ++k) EXPECT_NEAR(out[k], expected[k], 1e-10);
  }
  EXPECT_EQ(steps.clipping().clipped, 4 * clipped);
  EXPECT_EQ(steps.clipping().examples, 4 * chosen.size());
}

/// No records: noise alone, of deviation noise * clip / batch, fresh in every step. The sum of n squares of
/// standard normals stays within n +- 5 sqrt(2 n) but once in 1e6 seeds.
TEST(PrivateSteps, AnEmptyBatchIsPureNoise) {
  Setting s;
  PrivateSteps steps({.clip = 0.5, .noise = 3}, all_of(kRecords), 8, 7);
  double squares = 0;
  std::size_t count = 0;
  std::vector<double> previous;
  for (std::uint64_t step = 0; step < 500; ++step) {
    const std::vector<double> out = s.noisy_mean(steps, {}, 8, step);
    EXPECT_NE(out, previous);
    previous = out;
    for (const double x : out) squares += std::pow(x / (3 * 0.5 / 8), 2);
    count += out.size();
  }
  EXPECT_NEAR(squares, static_cast<double>(count), 5 * std::sqrt(2.0 * static_cast<double>(count)));
}

TEST(PrivateSteps, PoissonStepsAreAccountedAsSampled) {
  PrivateSteps steps({.noise = 1.1, .delta = 1e-5}, all_of(1000), 50, 1);
  for (std::uint64_t step = 0; step < 30; ++step) ASSERT_TRUE(steps.spend(step, step % 20 == 0));
  RdpAccountant accountant;
  const auto event = make_release(PoissonSampledRelease{0.05, make_release(GaussianRelease{1.1})});
  for (int i = 0; i < 30; ++i) accountant.add(*event);
  const PrivacyStatement statement = steps.statement();
  EXPECT_NEAR(*statement.epsilon, accountant.epsilon(1e-5), 1e-9);
  EXPECT_EQ(statement.unit, "record");
  EXPECT_THAT(statement.adjacency, ::testing::HasSubstr("add"));
  ASSERT_EQ(steps.ledger().entries().size(), 1U);
  EXPECT_EQ(steps.ledger().entries()[0].count, 30U);
}

/// Batches of one shuffle are disjoint: an epoch is one Gaussian release of sensitivity 2 clip.
TEST(PrivateSteps, DealtEpochsAreOneReleaseAndNeverAmplified) {
  PrivateSteps steps({.noise = 4, .delta = 1e-5, .draw = BatchDraw::kShuffled}, all_of(1000), 50, 1);
  for (std::uint64_t step = 0; step < 60; ++step) ASSERT_TRUE(steps.spend(step, step % 20 == 0));
  EXPECT_EQ(steps.ledger().entries()[0].count, 3U);
  const double exact = gaussian_epsilon(compose_gaussian(2.0 / 4, 3), 1e-5);
  EXPECT_GE(*steps.statement().epsilon, exact);
  EXPECT_LE(*steps.statement().epsilon, 1.2 * exact);
  EXPECT_THAT(steps.statement().adjacency, ::testing::HasSubstr("replace"));
}

TEST(PrivateSteps, FixedBatchesHaveTheirSizeAndReplaceRecords) {
  const PrivateSteps steps({.draw = BatchDraw::kFixedSize}, all_of(kRecords), 8, 3);
  for (std::uint64_t step = 0; step < 50; ++step) EXPECT_EQ(steps.draw(step).size(), 8U);
  EXPECT_NE(steps.draw(0), steps.draw(1));
  EXPECT_EQ(steps.draw(5), steps.draw(5));
}

/// 400 Poisson batches of expected size 8 out of 40: mean within 5 deviations.
TEST(PrivateSteps, PoissonBatchesHaveTheirSizeOnAverageOnly) {
  std::vector<std::size_t> odd;
  for (std::size_t i = 1; i < 80; i += 2) odd.push_back(i);
  const PrivateSteps steps({}, odd, 8, 3);
  double sum = 0;
  std::size_t smallest = 99, largest = 0;
  for (std::uint64_t step = 0; step < 400; ++step) {
    const auto drawn = steps.draw(step);
    for (const std::size_t record : drawn) EXPECT_EQ(record % 2, 1U);
    sum += static_cast<double>(drawn.size());
    smallest = std::min(smallest, drawn.size());
    largest = std::max(largest, drawn.size());
  }
  EXPECT_NEAR(sum / 400, 8, 5 * std::sqrt(40 * 0.2 * 0.8 / 400));
  EXPECT_LT(smallest, largest);
}

TEST(PrivateSteps, StopsAtItsBudget) {
  PrivacyOptions options{.noise = 1, .delta = 1e-5};
  PrivateSteps free(options, all_of(1000), 50, 1);
  for (std::uint64_t step = 0; step < 100; ++step) free.spend(step, false);
  options.budget = *free.statement().epsilon * (1 + 1e-9);  // sums of losses round
  PrivateSteps bounded(options, all_of(1000), 50, 1);
  std::uint64_t made = 0;
  while (made < 1000 && bounded.spend(made, false)) ++made;
  EXPECT_EQ(made, 100U);
  EXPECT_LE(*bounded.statement().epsilon, *options.budget);
}

TEST(PrivateSteps, RefusesWhatIsNoMechanism) {
  EXPECT_THROW(PrivateSteps({.noise = 0}, all_of(10), 5, 1), Error);
  EXPECT_THROW(PrivateSteps({.clip = -1}, all_of(10), 5, 1), Error);
  EXPECT_THROW(PrivateSteps({.delta = 0}, all_of(10), 5, 1), Error);
  EXPECT_THROW(PrivateSteps({}, all_of(10), 11, 1), Error);
  EXPECT_THROW(PrivateSteps({}, {}, 1, 1), Error);
}

}  // namespace
}  // namespace earshot
