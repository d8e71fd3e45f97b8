#include "earshot/training/learner.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/accounting/gaussian_curve.hpp"
#include "earshot/accounting/rdp_accountant.hpp"
#include "earshot/core/error.hpp"
#include "earshot/mechanism/gaussian.hpp"
#include "earshot/model/native/native_model.hpp"
#include "earshot/training/split.hpp"

namespace earshot {
namespace {

constexpr std::size_t kRecords = 40;

struct Setting {
  std::unique_ptr<Model> model =
      make_native_model({"", {3}, {Dense{4}, Activate{ActivationKind::kTanh}, Dense{2}}});
  std::unique_ptr<Examples> examples;
  std::unique_ptr<LearningTask> task;
  std::vector<double> state = std::vector<double>(model->parameter_count());

  explicit Setting(std::size_t records = kRecords) {
    Stream stream({1, Purpose::kTest});
    std::vector<double> inputs(3 * records), labels(records);
    for (double& x : inputs) x = 2 * stream.normal();
    for (double& y : labels) y = static_cast<double>(stream.below(2));
    for (double& p : state) p = stream.normal();
    examples = record_examples({3}, inputs, {2, labels});
    task = std::make_unique<LearningTask>(*model, *examples, Precision::kDouble);
  }

  /// One record at a time through the ordinary gradient: the oracle of batches and of clipping.
  std::vector<double> gradient_of(std::size_t record) {
    std::vector<double> g(state.size());
    task->gradient(state, {{&record, 1}}, g);
    return g;
  }
  std::vector<double> step(Learner& learner) {
    std::vector<double> out(state.size());
    EXPECT_TRUE(learner.gradient(state, out));
    return out;
  }
};

double l2(const std::vector<double>& g) {
  return std::sqrt(std::inner_product(g.begin(), g.end(), g.begin(), 0.0));
}

LearnerOptions drawing(std::size_t size, BatchDraw draw, std::size_t together = 0) {
  LearnerOptions options;
  options.batch = {size, draw, false};
  options.together = together;
  return options;
}

/// Gaussian noise on what a node clips to norm 0.3 as one vector.
Protection whole(ProtectedScope scope, double sigma) {
  Protection protection;
  protection.scope = scope;
  protection.mechanism = std::make_shared<GaussianMechanism>(
      clipped_terms(Norm::kL2, 0.3, Adjacency::kReplace, "one node's whole data"), sigma, 1e-5);
  return protection;
}

TEST(Learner, AveragesABatchOfItsOwnRecords) {
  Setting s;
  const std::vector<std::size_t> own{3, 4, 9, 20, 21, 39};
  Learner learner(*s.task, own, drawing(0, BatchDraw::kShuffled), no_protection(), {});
  std::vector<double> expected(s.state.size());
  for (const std::size_t i : own) {
    const auto g = s.gradient_of(i);
    for (std::size_t k = 0; k < g.size(); ++k) expected[k] += g[k] / 6;
  }
  const auto out = s.step(learner);
  for (std::size_t k = 0; k < out.size(); ++k) EXPECT_NEAR(out[k], expected[k], 1e-12);
  EXPECT_FALSE(learner.statement().is_private());
  EXPECT_TRUE(learner.take_loss().has_value());
  EXPECT_FALSE(learner.take_loss().has_value());
}

TEST(Learner, SumsClippedGradients) {
  Setting s;
  const std::vector<std::size_t> own{3, 4, 9, 20, 21, 39};
  std::vector<double> expected(s.state.size());
  std::size_t clipped = 0;
  for (const std::size_t i : own) {
    const auto g = s.gradient_of(i);
    clipped += l2(g) > 0.7;
    for (std::size_t k = 0; k < g.size(); ++k) expected[k] += g[k] * std::min(1.0, 0.7 / l2(g)) / 6;
  }
  ASSERT_GT(clipped, 0U);
  ASSERT_LT(clipped, own.size());
  for (const std::size_t together : {1, 4, 6, 100}) {
    Learner learner(*s.task, own, drawing(0, BatchDraw::kShuffled, together),
                    dp_sgd({.clip = 0.7, .noise = 1e-12, .draw = BatchDraw::kShuffled}), {});
    const std::vector<double> out = s.step(learner);
    for (std::size_t k = 0; k < out.size(); ++k) EXPECT_NEAR(out[k], expected[k], 1e-10);
    EXPECT_EQ(learner.clipping().clipped, clipped);
    EXPECT_EQ(learner.clipping().examples, own.size());
    EXPECT_FALSE(learner.take_loss().has_value());
  }
}

/// Poisson batches of one record expected out of 40 at clip 1e-9: noise alone, of deviation noise * clip /
/// batch, fresh in every step. The sum of n squares of standard normals stays within n +- 5 sqrt(2 n) but
/// once in 1e6 seeds.
TEST(Learner, NoiseHasTheDeviationItClaims) {
  Setting s;
  Learner learner(*s.task, all_of(kRecords), drawing(8, BatchDraw::kPoisson),
                  dp_sgd({.clip = 0.5, .noise = 300, .draw = BatchDraw::kPoisson}), {7, 0, 0});
  double squares = 0;
  std::size_t count = 0;
  std::vector<double> previous;
  for (std::uint64_t step = 0; step < 500; ++step) {
    const std::vector<double> out = s.step(learner);
    EXPECT_NE(out, previous);
    previous = out;
    for (const double x : out) squares += std::pow(x / (300 * 0.5 / 8), 2);
    count += out.size();
  }
  EXPECT_NEAR(squares, static_cast<double>(count), 5 * std::sqrt(2.0 * static_cast<double>(count)));
}

TEST(Learner, PoissonStepsAreAccountedAsSampled) {
  Setting s(1000);
  Learner learner(*s.task, all_of(1000), drawing(50, BatchDraw::kPoisson),
                  dp_sgd({.noise = 1.1, .delta = 1e-5, .draw = BatchDraw::kPoisson}), {});
  for (int step = 0; step < 30; ++step) s.step(learner);
  RdpAccountant accountant;
  const auto event = make_release(PoissonSampledRelease{0.05, make_release(GaussianRelease{1.1})});
  for (int i = 0; i < 30; ++i) accountant.add(*event);
  const PrivacyStatement statement = learner.statement();
  EXPECT_NEAR(*statement.epsilon, accountant.epsilon(1e-5), 1e-9);
  EXPECT_EQ(statement.unit, "record");
  EXPECT_THAT(statement.adjacency, ::testing::HasSubstr("add"));
  ASSERT_EQ(learner.ledger().entries().size(), 1U);
  EXPECT_EQ(learner.ledger().entries()[0].count, 30U);
}

/// Batches of one shuffle are disjoint: an epoch is one Gaussian release of sensitivity 2 clip.
TEST(Learner, DealtEpochsAreOneReleaseAndNeverAmplified) {
  Setting s;
  Learner learner(*s.task, all_of(kRecords), drawing(2, BatchDraw::kShuffled),
                  dp_sgd({.noise = 4, .delta = 1e-5, .draw = BatchDraw::kShuffled}), {});
  for (int step = 0; step < 60; ++step) s.step(learner);
  EXPECT_EQ(learner.ledger().entries()[0].count, 3U);
  const double exact = gaussian_epsilon(compose_gaussian(2.0 / 4, 3), 1e-5);
  EXPECT_GE(*learner.statement().epsilon, exact);
  EXPECT_LE(*learner.statement().epsilon, 1.2 * exact);
  EXPECT_THAT(learner.statement().adjacency, ::testing::HasSubstr("replace"));
}

TEST(Learner, ClipsAStepOrAnUpdateAsOneVector) {
  Setting s;
  Learner steps(*s.task, all_of(kRecords), drawing(0, BatchDraw::kFixedSize),
                whole(ProtectedScope::kBatch, 1e-12), {});
  EXPECT_NEAR(l2(s.step(steps)), 0.3, 1e-9);
  EXPECT_EQ(steps.ledger().entries().at(0).count, 1U);
  std::vector<double> update(s.state.size(), 1);
  EXPECT_TRUE(steps.protect_update(update));
  EXPECT_EQ(update, std::vector<double>(s.state.size(), 1));

  Learner rounds(*s.task, all_of(kRecords), drawing(0, BatchDraw::kFixedSize),
                 whole(ProtectedScope::kUpdate, 1e-12), {});
  s.step(rounds);
  EXPECT_TRUE(rounds.ledger().entries().empty());
  EXPECT_TRUE(rounds.protect_update(update));
  EXPECT_NEAR(l2(update), 0.3, 1e-9);
  EXPECT_EQ(rounds.ledger().entries().at(0).count, 1U);
  EXPECT_EQ(rounds.statement().unit, "one node's whole data");
}

TEST(Learner, WhatIsNotFiniteIsSentAsNoiseOnZero) {
  Setting s;
  Learner learner(*s.task, all_of(kRecords), {}, whole(ProtectedScope::kUpdate, 1e-12), {});
  std::vector<double> update(s.state.size(), 1);
  update[3] = std::nan("");
  EXPECT_TRUE(learner.protect_update(update));
  EXPECT_NEAR(l2(update), 0, 1e-9);
  EXPECT_EQ(learner.clipping().non_finite, 1U);
}

TEST(Learner, StopsAtItsBudget) {
  Setting s(1000);
  PrivacyOptions options{.noise = 1, .delta = 1e-5};
  const LearnerOptions poisson = drawing(50, BatchDraw::kPoisson);
  Learner free(*s.task, all_of(1000), poisson, dp_sgd(options), {});
  for (int step = 0; step < 100; ++step) s.step(free);
  options.budget = *free.statement().epsilon * (1 + 1e-9);  // sums of losses round
  Learner bounded(*s.task, all_of(1000), poisson, dp_sgd(options), {});
  std::vector<double> out(s.state.size());
  while (bounded.steps() < 1000 && bounded.gradient(s.state, out)) {
  }
  EXPECT_EQ(bounded.steps(), 100U);
  EXPECT_TRUE(bounded.exhausted());
  EXPECT_LE(*bounded.statement().epsilon, *options.budget);
}

TEST(Learner, ABudgetThatAllowsNothingCostsNothing) {
  Setting s;
  Learner learner(*s.task, all_of(kRecords), drawing(8, BatchDraw::kPoisson),
                  dp_sgd({.noise = 1, .draw = BatchDraw::kPoisson, .budget = 1e-9}), {});
  std::vector<double> out(s.state.size());
  EXPECT_FALSE(learner.gradient(s.state, out));
  EXPECT_EQ(*learner.statement().epsilon, 0);
}

TEST(Learner, GoesOnFromACheckpointToTheBit) {
  Setting s;
  const auto make = [&] {
    return std::make_unique<Learner>(*s.task, all_of(kRecords), drawing(7, BatchDraw::kShuffled),
                                     dp_sgd({.noise = 2, .draw = BatchDraw::kShuffled, .budget = 30.0}),
                                     NodeAddress{3, 1, 5});
  };
  const auto first = make();
  for (int i = 0; i < 9; ++i) s.step(*first);
  StateWriter writer;
  first->save(writer);
  const std::string sealed = writer.sealed();
  StateReader reader(sealed, "memory");
  const auto second = make();
  second->load(reader);
  reader.finish();
  for (int i = 0; i < 9; ++i) EXPECT_EQ(s.step(*second), s.step(*first));
  EXPECT_EQ(second->ledger().to_text(), first->ledger().to_text());
  EXPECT_EQ(*second->statement().epsilon, *first->statement().epsilon);
}

TEST(Learner, RefusesWhatIsNoMechanism) {
  EXPECT_THROW(dp_sgd({.noise = 0, .draw = BatchDraw::kPoisson}), Error);
  EXPECT_THROW(dp_sgd({.clip = -1, .draw = BatchDraw::kPoisson}), Error);
  EXPECT_THROW(dp_sgd({.delta = 0, .draw = BatchDraw::kPoisson}), Error);
  Setting s;
  EXPECT_THROW(Learner(*s.task, {}, {}, no_protection(), {}), Error);
}

TEST(Batches, FixedOnesHaveTheirSize) {
  Batches batches(all_of(kRecords), {8, BatchDraw::kFixedSize, false}, {3, 0, 0});
  for (std::uint64_t step = 0; step < 50; ++step) EXPECT_EQ(batches.of_step(step).size(), 8U);
  const auto keep = [&](std::uint64_t step) {
    const auto batch = batches.of_step(step);
    return std::vector<std::size_t>(batch.begin(), batch.end());
  };
  EXPECT_NE(keep(0), keep(1));
  EXPECT_EQ(keep(5), keep(5));
}

/// 400 Poisson batches of expected size 8 out of 40: mean within 5 deviations.
TEST(Batches, PoissonOnesHaveTheirSizeOnAverageOnly) {
  std::vector<std::size_t> odd;
  for (std::size_t i = 1; i < 80; i += 2) odd.push_back(i);
  Batches batches(odd, {8, BatchDraw::kPoisson, false}, {3, 0, 0});
  double sum = 0;
  std::size_t smallest = 99, largest = 0;
  for (std::uint64_t step = 0; step < 400; ++step) {
    const auto drawn = batches.of_step(step);
    for (const std::size_t record : drawn) EXPECT_EQ(record % 2, 1U);
    sum += static_cast<double>(drawn.size());
    smallest = std::min(smallest, drawn.size());
    largest = std::max(largest, drawn.size());
  }
  EXPECT_NEAR(sum / 400, 8, 5 * std::sqrt(40 * 0.2 * 0.8 / 400));
  EXPECT_LT(smallest, largest);
}

TEST(Batches, DealtOnesHoldEveryRecordOnceAnEpoch) {
  Batches batches(all_of(10), {4, BatchDraw::kShuffled, false}, {3, 0, 2});
  ASSERT_EQ(batches.steps_per_epoch(), 3U);
  for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
    std::set<std::size_t> seen;
    for (std::uint64_t i = 0; i < 3; ++i) {
      const auto batch = batches.of_step(3 * epoch + i);
      seen.insert(batch.begin(), batch.end());
    }
    EXPECT_EQ(seen.size(), 10U);
  }
  EXPECT_EQ(batches.epoch_of(2), 1U);
  EXPECT_EQ(batches.epoch_of(3), 2U);
}

}  // namespace
}  // namespace earshot
