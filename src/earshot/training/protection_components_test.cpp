#include "earshot/training/protection_components.hpp"

#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/mechanism/laplace.hpp"
#include "earshot/model/native/native_model.hpp"
#include "earshot/training/learner.hpp"
#include "earshot/training/split.hpp"

namespace earshot {
namespace {

constexpr std::size_t kRecords = 60;

Protection make(std::string_view name, const Json& given, const ProtectionUse& use) {
  const ProtectionComponent& component = find_protection(name);
  std::vector<Problem> problems;
  const Settings settings = validate(
      component.schema, given, [](std::string_view key) { return std::string(key); }, problems);
  if (!problems.empty()) fail(Fault::kConfig, to_line(problems.front()));
  return component.make(settings, use);
}

struct Setting {
  std::unique_ptr<Model> model =
      make_native_model({"", {3}, {Dense{4}, Activate{ActivationKind::kTanh}, Dense{2}}});
  std::unique_ptr<Examples> examples;
  std::unique_ptr<LearningTask> task;
  std::vector<double> state;

  explicit Setting(Precision precision = Precision::kDouble) {
    Stream stream({1, Purpose::kTest});
    std::vector<double> inputs(3 * kRecords), labels(kRecords);
    for (double& x : inputs) x = 2 * stream.normal();
    for (double& y : labels) y = static_cast<double>(stream.below(2));
    examples = record_examples({3}, inputs, {2, labels});
    task = std::make_unique<LearningTask>(*model, *examples, precision);
    state = task->initial_state(stream);
  }

  /// Runs the steps and answers what they are stated to cost.
  PrivacyStatement after(const Protection& protection, const ProtectionUse& use) {
    LearnerOptions options;
    options.batch = {use.batch, use.draw, false};
    Learner learner(*task, all_of(use.records), options, protection, {});
    std::vector<double> out(state.size());
    for (std::uint64_t step = 0; step < use.steps; ++step) EXPECT_TRUE(learner.gradient(state, out));
    for (std::uint64_t round = 0; round < use.rounds; ++round) EXPECT_TRUE(learner.protect_update(out));
    return learner.statement();
  }
};

/// The calibrated noise, used as announced, costs what was asked for, and not much less.
TEST(Protections, CalibrationIsForTheWholeRunHoweverBatchesAreDrawn) {
  Setting s;
  for (const BatchDraw draw : {BatchDraw::kPoisson, BatchDraw::kShuffled}) {
    const ProtectionUse use{draw, 47, 1, kRecords, 7, s.state.size()};
    const Protection protection = make("dp_sgd", {{"epsilon", 3.0}, {"delta", 1e-4}}, use);
    const double epsilon = *s.after(protection, use).epsilon;
    EXPECT_LE(epsilon, 3.0 * (1 + 1e-9));
    EXPECT_GE(epsilon, 2.99);
  }
}

TEST(Protections, CalibratesLaplaceNoiseAndUpdates) {
  Setting s;
  const ProtectionUse dealt{BatchDraw::kShuffled, 20, 1, kRecords, 7, s.state.size()};
  const double pure = *s.after(make("laplace_sgd", {{"epsilon", 3.0}}, dealt), dealt).epsilon;
  EXPECT_LE(pure, 3.0 * (1 + 1e-9));
  EXPECT_GE(pure, 2.99);

  const Json l2{{"epsilon", 3.0}, {"clip_norm", "l2"}, {"clip", 0.4}};
  const PrivacyStatement concentrated = s.after(make("laplace_sgd", l2, dealt), dealt);
  EXPECT_LE(*concentrated.epsilon, 3.0 * (1 + 1e-9));
  EXPECT_GE(*concentrated.epsilon, 2.99);
  EXPECT_EQ(concentrated.unit, "record");

  const ProtectionUse updates{BatchDraw::kShuffled, 40, 10, kRecords, 7, s.state.size()};
  const PrivacyStatement whole = s.after(make("client_update", {{"epsilon", 3.0}}, updates), updates);
  EXPECT_LE(*whole.epsilon, 3.0 * (1 + 1e-9));
  EXPECT_GE(*whole.epsilon, 2.99);
  EXPECT_EQ(whole.unit, "one node's whole data");
}

TEST(Protections, StepsOfWholeNodesCostWhatTheirMechanismSays) {
  Setting s;
  const ProtectionUse use{BatchDraw::kFixedSize, 12, 1, kRecords, 7, s.state.size()};
  const PrivacyStatement gaussian = s.after(make("gaussian", {{"epsilon", 2.0}, {"delta", 1e-5}}, use), use);
  EXPECT_NEAR(*gaussian.epsilon, 2.0, 0.02);
  EXPECT_EQ(gaussian.unit, "one node's whole data");
  // Twelve pure releases of 1/6 each: 2 by adding up, less at a delta.
  const PrivacyStatement laplace = s.after(make("laplace", {{"epsilon", 2.0}}, use), use);
  EXPECT_LE(*laplace.epsilon, 2.0 * (1 + 1e-6));
  EXPECT_FALSE(s.after(make("none", Json::object(), use), use).is_private());
}

/// One step of pure Laplace noise on examples clipped in L1 is 1/multiplier-DP under adding or removing a
/// record; sampling with rate q makes that ln(1 + q (e^epsilon - 1)) (Balle, Barthe & Gaboardi 2018).
TEST(Protections, OnePoissonStepOfLaplaceNoiseIsPure) {
  const ProtectionUse use{BatchDraw::kPoisson, 1, 1, kRecords, 6, 1};
  const Protection protection =
      make("laplace_sgd", {{"noise_multiplier", 0.5}, {"clip", 3.0}, {"accountant", "pld"}}, use);
  EXPECT_DOUBLE_EQ(protection.mechanism->noise_deviation(1), 1.5 * std::sqrt(2.0));
  Setting s;
  const double amplified = std::log(1 + 0.1 * (std::exp(2.0) - 1));
  const double stated = *s.after(protection, use).epsilon;
  EXPECT_LE(stated, amplified * (1 + 1e-3));
  EXPECT_GE(stated, amplified * (1 - 1e-2));  // delta = 1e-5 buys a little
}

/// Clipped one example at a time, by hand.
TEST(Protections, ClipsEveryExampleInL1) {
  for (const Precision precision : {Precision::kDouble, Precision::kSingle}) {
    Setting s(precision);
    const double bound = 4;
    std::vector<double> expected(s.state.size());
    std::size_t clipped = 0;
    for (std::size_t record = 0; record < 20; ++record) {
      std::vector<double> g(s.state.size());
      s.task->gradient(s.state, {{&record, 1}}, g);
      double length = 0;
      for (const double x : g) length += std::abs(x);
      clipped += length > bound;
      for (std::size_t i = 0; i < g.size(); ++i) expected[i] += g[i] * std::min(1.0, bound / length);
    }
    ASSERT_GT(clipped, 0U);
    ASSERT_LT(clipped, 20U);
    const std::vector<std::size_t> records = all_of(20);
    for (const std::size_t together : {1, 6, 20, 100}) {
      std::vector<double> sum(s.state.size());
      const ClippingReport report = s.task->clipped_sum(s.state, {records}, Norm::kL1, bound, together, sum);
      EXPECT_EQ(report.clipped, clipped);
      for (std::size_t i = 0; i < sum.size(); ++i) EXPECT_NEAR(sum[i], expected[i], 1e-5);
    }
  }
}

TEST(Protections, ExamplesThatAreNotFiniteContributeNothing) {
  const auto model = make_native_model({"", {1}, {Dense{2}}});
  const std::vector<double> inputs{0.5, 1e308, -0.5, 0.2};  // weights of 10: both logits are infinite
  const auto examples = record_examples({1}, inputs, {2, {0, 0, 1, 0}});
  LearningTask task(*model, *examples, Precision::kDouble);
  const std::vector<double> state(task.state_size(), 10.0);
  std::vector<double> sum(state.size()), three(state.size());
  const std::vector<std::size_t> all = all_of(4);
  const std::vector<std::size_t> sound{0, 2, 3};
  const ClippingReport report = task.clipped_sum(state, {all}, Norm::kL1, 0.3, 4, sum);
  task.clipped_sum(state, {sound}, Norm::kL1, 0.3, 4, three);
  EXPECT_EQ(report.non_finite, 1U);
  EXPECT_EQ(sum, three);
}

/// A batch clipped in L2 to 1 with noise of scale 1 / 1.5 per coordinate: sensitivity 2, so rho = 4.5 a step,
/// and far from the label.
TEST(Protections, ThePublishedLaplaceClientIsStatedAsItIs) {
  Setting s;
  const ProtectionUse use{BatchDraw::kShuffled, 10, 1, kRecords, 6, s.state.size()};
  const Protection undivided =
      make("laplace_as_published", {{"label_epsilon", 1.5}, {"divide_by_batch", false}}, use);
  EXPECT_DOUBLE_EQ(undivided.mechanism->noise_deviation(1), std::sqrt(2.0) / 1.5);
  EXPECT_DOUBLE_EQ(std::get<ConcentratedRelease>(undivided.mechanism->release()->kind).rho, 4.5);
  EXPECT_GT(*s.after(undivided, use).epsilon, 45);
  const Protection divided = make("laplace_as_published", {{"label_epsilon", 1.5}}, use);
  EXPECT_DOUBLE_EQ(divided.mechanism->noise_deviation(1), std::sqrt(2.0) / 1.5 / 6);
  EXPECT_GT(*s.after(divided, use).epsilon, 1600);
}

TEST(Protections, ABudgetStopsEveryKind) {
  Setting s;
  const ProtectionUse use{BatchDraw::kShuffled, 1, 1, kRecords, 0, s.state.size()};
  const std::vector<std::pair<std::string, Json>> all = {
      {"gaussian", {{"sigma", 2.0}}},
      {"laplace", {{"scale", 2.0}}},
      {"dp_sgd", {{"noise_multiplier", 2.0}}},
      {"laplace_sgd", {{"noise_multiplier", 2.0}}},
      {"laplace_as_published", {{"label_epsilon", 0.5}, {"divide_by_batch", false}}},
      {"client_update", {{"noise_multiplier", 2.0}}}};
  for (auto [name, given] : all) {
    given["budget"] = 15.0;
    const Protection protection = make(name, given, use);
    Learner learner(*s.task, all_of(kRecords), {}, protection, {});
    std::vector<double> out(s.state.size());
    int rounds = 0;
    while (rounds < 100 && learner.gradient(s.state, out) && learner.protect_update(out)) ++rounds;
    EXPECT_GT(rounds, 0) << name;
    EXPECT_LT(rounds, 100) << name;
    EXPECT_LE(*learner.statement().epsilon, 15.0) << name;
  }
}

TEST(Protections, RefusesWhatCannotBe) {
  const ProtectionUse use{BatchDraw::kPoisson, 5, 5, kRecords, 6, 10};
  EXPECT_THROW(find_protection("dpsgd"), Error);
  EXPECT_THROW(make("dp_sgd", Json::object(), use), Error);
  EXPECT_THROW(make("dp_sgd", {{"epsilon", 1.0}, {"noise_multiplier", 1.0}}, use), Error);
  EXPECT_THROW(make("laplace_sgd", {{"noise_multiplier", 1.0}, {"clip_norm", "l2"}}, use), Error);
  EXPECT_THROW(make("laplace_as_published", Json::object(), use), Error);
}

}  // namespace
}  // namespace earshot
