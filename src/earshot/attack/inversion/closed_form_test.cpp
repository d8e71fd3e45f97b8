#include "earshot/attack/inversion/closed_form.hpp"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/attack/inversion/test_victim.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using ::testing::HasSubstr;

std::optional<ExactReconstruction> attack(const Victim& victim) {
  return closed_form(victim.architecture, *victim.model, victim.parameters, victim.gradient, victim.batch);
}

void expect_found(const Victim& victim, const std::optional<ExactReconstruction>& found, const char* route) {
  ASSERT_TRUE(found) << route;
  EXPECT_THAT(found->route, HasSubstr(route));
  EXPECT_LT(relative_error(found->inputs, victim.inputs), 1e-10);
  EXPECT_LT(found->residual, 1e-9);
  EXPECT_TRUE(found->clones.empty());
  for (std::size_t i = 0; i < victim.targets.size(); ++i) {
    EXPECT_NEAR(found->targets[i], victim.targets[i], 1e-6);
  }
  if (victim.architecture.loss == LossKind::kSoftmaxCrossEntropy) {
    EXPECT_EQ(found->labels, victim.labels);
  }
}

TEST(ClosedForm, RecoversOneRecordByTheFirstLayer) {
  for_dense_victims([](const Victim& victim) { expect_found(victim, attack(victim), "first dense layer"); });
}

TEST(ClosedForm, RecoversOneRecordThroughBlocksAndConvolutionsBehindTheFirstLayer) {
  Architecture a;
  a.input = Shape{7};
  a.layers = {Dense{16}, Activate{ActivationKind::kTanh}, Parallel{Join::kAdd, {{Dense{16}}, {}}},
              Activate{ActivationKind::kGelu}, Dense{4}};
  const Victim victim(a, 5);
  expect_found(victim, attack(victim), "first dense layer");
}

TEST(ClosedForm, PeelsFromTheFirstBias) {
  for (const ActivationKind activation : kAllActivations) {
    if (activation == ActivationKind::kGelu) continue;
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      Architecture a = dense_network({6, 20, 18, 5}, activation);
      a.layers[0] = Dense{20, false};
      const Victim victim(a, seed);
      expect_found(victim, attack(victim), "layer peeling from 2.dense");
    }
  }
}

TEST(ClosedForm, RecoversOneRecordFromWeightsOnly) {
  for (const ActivationKind activation : {ActivationKind::kRelu, ActivationKind::kTanh}) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const Victim deep(dense_network({6, 20, 18, 5}, activation, false), seed);
      expect_found(deep, attack(deep), "weights of 4.dense and layer peeling");
      const Victim flat(dense_network({6, 4}, activation, false), seed);
      expect_found(flat, attack(flat), "weights only");
    }
  }
}

// Without a bias two classes are linked by z_A - z_B = gamma alone (Delta = 0): a clone exists iff gamma > 0,
// and inputs of the other class and sign make the very same gradient.
TEST(ClosedForm, NamesTheClonesItCannotTellFromTheTruth) {
  std::size_t ambiguous = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Victim victim(dense_network({5, 2}, ActivationKind::kRelu, false), seed);
    const auto found = attack(victim);
    ASSERT_TRUE(found);
    double nearest = relative_error(found->inputs, victim.inputs);
    for (const auto& clone : found->clones) {
      nearest = std::min(nearest, relative_error(clone, victim.inputs));
    }
    EXPECT_LT(nearest, 1e-6);
    ambiguous += found->clones.empty() ? 0 : 1;
  }
  EXPECT_GT(ambiguous, 10U);
}

TEST(ClosedForm, RecoversSoftLabels) {
  Victim victim(dense_network({6, 9, 3}, ActivationKind::kTanh), 2);
  victim.targets = {0.2, 0.5, 0.3};
  victim.observe();
  const auto found = attack(victim);
  ASSERT_TRUE(found);
  EXPECT_LT(relative_error(found->targets, victim.targets), 1e-10);
  EXPECT_FALSE(found->labels);
}

/// Which of the true records each of the found ones is nearest to: a batch has no order.
std::vector<std::size_t> order_of(const Victim& victim, const ExactReconstruction& found) {
  const std::size_t size = victim.model->input_size();
  std::vector<std::size_t> order;
  for (std::size_t s = 0; s < victim.batch; ++s) {
    const auto record = std::span(found.inputs).subspan(s * size, size);
    const auto error = [&](std::size_t of) {
      return relative_error(record, std::span(victim.inputs).subspan(of * size, size));
    };
    std::size_t best = 0;
    for (std::size_t t = 1; t < victim.batch; ++t)
      if (error(t) < error(best)) best = t;
    order.push_back(best);
  }
  return order;
}

std::vector<double> in_order(std::span<const double> rows, std::size_t size,
                             std::span<const std::size_t> order) {
  std::vector<double> out;
  for (const std::size_t row : order) {
    const auto numbers = rows.subspan(row * size, size);
    out.insert(out.end(), numbers.begin(), numbers.end());
  }
  return out;
}

/// The truth in the order the attack found it.
std::vector<double> matched(const Victim& victim, const ExactReconstruction& found) {
  const auto order = order_of(victim, found);
  for (std::size_t s = 0; s < victim.batch; ++s) EXPECT_EQ((*found.labels)[s], victim.labels[order[s]]);
  return in_order(victim.inputs, victim.model->input_size(), order);
}

TEST(ClosedForm, RecoversBatchesThatUnitsTellApart) {
  for (const Reduction reduction : {Reduction::kMean, Reduction::kSum}) {
    for (const std::size_t batch : {2, 4, 6}) {
      Architecture a = dense_network({20, 400, 10}, ActivationKind::kRelu);
      a.reduction = reduction;
      const Victim victim(a, batch, batch);
      const auto found = attack(victim);
      ASSERT_TRUE(found) << batch;
      EXPECT_EQ(found->route, "units that see one record");
      ASSERT_TRUE(found->labels);
      EXPECT_LT(relative_error(found->inputs, matched(victim, *found)), 1e-9);
    }
  }
  const Victim smooth(dense_network({20, 400, 10}, ActivationKind::kTanh), 1, 2);
  EXPECT_FALSE(attack(smooth));
}

// Units 0 to 2 see only the first record, unit 5 only the second, units 3, 4 and 6 both, unit 7 neither.
TEST(ClosedForm, RecoversTheLastRecordOfABatchFromASingleUnit) {
  Victim victim(dense_network({3, 8, 4}, ActivationKind::kRelu), 7, 2);
  victim.inputs = {1, 0.2, 0.1, -0.1, 0.3, 1};
  const double rows[8][3] = {{1, 0, 0},     {2, 0, 0.1},  {1, 0.5, 0}, {0, 0.1, 1},
                             {0, 0.4, 0.7}, {-1, 0.3, 1}, {0, 1, 1},   {-1, -0.1, -1}};
  for (std::size_t h = 0; h < 8; ++h) std::copy_n(rows[h], 3, victim.parameters.begin() + 3 * h);
  const double biases[8] = {-0.1, -0.1, -0.4, 0, 0, 0, 0, -0.1};
  std::copy_n(biases, 8, victim.parameters.begin() + 24);
  victim.observe();
  const auto found = attack(victim);
  ASSERT_TRUE(found);
  ASSERT_TRUE(found->labels);
  EXPECT_LT(relative_error(found->inputs, matched(victim, *found)), 1e-9);
}

struct Difference {
  Victim victim;
  std::vector<double> elsewhere;
  std::vector<double> difference;

  Difference(Architecture a, std::uint64_t seed, std::size_t records = 1, double apart = 0.1)
      : victim(std::move(a), seed, records), elsewhere(victim.parameters) {
    victim.stream.add_normal(elsewhere, apart);
    difference = victim.gradient;
    const auto there = victim.gradient_at(elsewhere);
    for (std::size_t i = 0; i < there.size(); ++i) difference[i] -= there[i];
  }
  std::optional<ExactReconstruction> attack() const {
    return closed_form_difference(victim.architecture, *victim.model, victim.parameters, elsewhere,
                                  difference, victim.batch);
  }
};

TEST(ClosedForm, RecoversInputAndTargetFromADifferenceOfGradients) {
  for (const LossKind loss : kAllLosses) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const Difference seen(dense_network({9, 12, 5}, ActivationKind::kTanh, true, loss), seed);
      expect_found(seen.victim, seen.attack(), "difference at the first dense layer");
    }
  }
}

/// Units that are on for one record at both points show it, and targets follow; a batch that fills the units
/// shows nothing. Points are as far apart as a step takes them.
TEST(ClosedForm, RecoversBatchesFromDifferencesOfGradients) {
  for (const LossKind loss : kAllLosses) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      for (const std::size_t batch : {2, 3}) {
        const Difference seen(dense_network({9, 200, 4}, ActivationKind::kRelu, true, loss), seed, batch,
                              0.01);
        const auto found = seen.attack();
        ASSERT_TRUE(found) << seed << " " << batch;
        EXPECT_EQ(found->route, "units that see one record, in a difference");
        const auto order = order_of(seen.victim, *found);
        EXPECT_LT(relative_error(found->inputs, in_order(seen.victim.inputs, 9, order)), 1e-9);
        EXPECT_LT(relative_error(found->targets, in_order(seen.victim.targets, 4, order)), 1e-6);
        if (loss != LossKind::kSoftmaxCrossEntropy) continue;
        ASSERT_TRUE(found->labels);
        for (std::size_t s = 0; s < batch; ++s) EXPECT_EQ((*found->labels)[s], seen.victim.labels[order[s]]);
      }
      const Difference crowded(dense_network({9, 200, 4}, ActivationKind::kTanh, true, loss), seed, 2);
      EXPECT_FALSE(crowded.attack());
    }
  }
}

TEST(ClosedForm, TheLabelCancelsInADifferenceOfOneLayer) {
  for (const LossKind loss : kAllLosses) {
    const Difference seen(dense_network({9, 3}, ActivationKind::kTanh, true, loss), 3);
    const auto found = seen.attack();
    ASSERT_TRUE(found);
    EXPECT_LT(relative_error(found->inputs, seen.victim.inputs), 1e-10);
    EXPECT_TRUE(found->targets.empty());
    EXPECT_FALSE(found->labels);
  }
}

TEST(ClosedForm, TellsBinaryLabels) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Victim victim(dense_network({6, 1}, ActivationKind::kTanh, true, LossKind::kBinaryCrossEntropy),
                        seed);
    const auto found = attack(victim);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->labels, std::vector<std::size_t>{static_cast<std::size_t>(victim.targets[0])});
  }
}

TEST(ClosedForm, FindsNothingWhereTheGradientIsNotOfOneExactRecord) {
  Victim victim(dense_network({9, 12, 5}, ActivationKind::kTanh), 1);
  const auto exact = victim.gradient;
  std::fill(victim.gradient.begin(), victim.gradient.end(), 0.0);
  EXPECT_FALSE(attack(victim));
  victim.gradient = exact;
  victim.gradient[3] = std::nan("");
  EXPECT_FALSE(attack(victim));
  victim.gradient = exact;
  victim.stream.add_normal(victim.gradient, 1e-3);
  EXPECT_FALSE(attack(victim));
  Victim several(dense_network({9, 12, 5}, ActivationKind::kTanh), 1, 3);
  several.batch = 1;  // the attacker believes in one record
  EXPECT_FALSE(attack(several));
  several.batch = 3;
  EXPECT_FALSE(attack(several));  // smooth units see all
}

TEST(ClosedForm, FindsNothingInDeadUnitsAndConvolutions) {
  Victim dead(dense_network({6, 8, 7, 5}, ActivationKind::kRelu), 3);
  std::fill_n(dead.parameters.begin() + 48, 8, -100.0);
  dead.observe();
  EXPECT_FALSE(attack(dead));
  Architecture a;
  a.input = Shape{1, 6, 6};
  a.layers = {Convolve{2, 3, 3}, Activate{ActivationKind::kTanh}, Dense{4}};
  EXPECT_FALSE(attack(Victim(a, 1)));
}

// A record fitted well, with gradient entries near 1e-10, is found as exactly as any; one fitted to the last
// bit has no gradient.
TEST(ClosedForm, RecoversASaturatedRecordWhileItsGradientIsNotZero) {
  Victim victim(dense_network({6, 5}, ActivationKind::kRelu), 9);
  std::vector<double> outputs(5);
  victim.model->predict(victim.parameters, 1, victim.inputs, outputs);
  const auto likeliest = std::max_element(outputs.begin(), outputs.end()) - outputs.begin();
  victim.labels = {static_cast<std::size_t>(likeliest)};
  victim.targets.assign(5, 0.0);
  victim.targets[victim.labels[0]] = 1;
  const auto fresh = victim.parameters;
  const auto scaled = [&](double strength) {
    for (std::size_t i = 0; i < fresh.size(); ++i) victim.parameters[i] = strength * fresh[i];
    victim.observe();
    return attack(victim);
  };
  expect_found(victim, scaled(10), "first dense layer");
  EXPECT_FALSE(scaled(1e5));
}

// An attack holds a gradient and no way to the records: what they become afterwards changes nothing.
TEST(ClosedForm, ChangingTheTruthWithoutTheGradientChangesNothing) {
  for (const std::size_t batch : {1, 4}) {
    Victim victim(dense_network({20, 400, 10}, ActivationKind::kRelu), 12, batch);
    const auto before = attack(victim);
    victim.stream.fill_normal(victim.inputs, 5.0);
    std::fill(victim.targets.begin(), victim.targets.end(), 0.1);
    const auto after = attack(victim);
    ASSERT_TRUE(before && after);
    EXPECT_EQ(before->inputs, after->inputs);
    EXPECT_EQ(before->targets, after->targets);
    EXPECT_EQ(before->residual, after->residual);
  }
}

TEST(ClosedForm, RefusesWhatDoesNotFit) {
  const Victim victim(dense_network({6, 8, 5}, ActivationKind::kTanh), 1);
  const auto& [a, model, batch, stream, parameters, inputs, targets, gradient, labels] = victim;
  const std::span<const double> all(gradient);
  EXPECT_THROW(closed_form(a, *model, parameters, all.first(3), 1), Error);
  EXPECT_THROW(closed_form(a, *model, all.first(3), gradient, 1), Error);
  EXPECT_THROW(closed_form(a, *model, parameters, gradient, 0), Error);
  EXPECT_THROW(closed_form(a, *model, parameters, gradient, 1, {.tolerance = 0}), Error);
  EXPECT_THROW(closed_form_difference(a, *model, parameters, all.first(3), gradient), Error);
  EXPECT_THROW(closed_form_difference(a, *model, parameters, parameters, all.first(3)), Error);
  const Victim other(dense_network({6, 9, 5}, ActivationKind::kTanh), 1);
  EXPECT_THROW(closed_form(a, *other.model, parameters, gradient, 1), Error);
  std::vector<double> broken(parameters);
  broken[0] = INFINITY;
  EXPECT_THROW(closed_form(a, *model, broken, gradient, 1), Error);
}

}  // namespace
}  // namespace earshot
