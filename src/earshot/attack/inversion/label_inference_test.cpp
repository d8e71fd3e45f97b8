#include "earshot/attack/inversion/label_inference.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/attack/inversion/test_victim.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

std::vector<std::size_t> true_counts(const Victim& victim) {
  std::vector<std::size_t> counts(victim.model->output_size(), 0);
  for (const std::size_t label : victim.labels) ++counts[label];
  return counts;
}

TEST(LabelInference, TellsOneRecordByEveryRule) {
  struct Setting {
    Architecture architecture;
    LabelRule rule;
  };
  const Setting settings[] = {
      {dense_network({6, 5}, ActivationKind::kRelu), LabelRule::kBiasSign},
      {dense_network({6, 8, 7, 5}, ActivationKind::kTanh), LabelRule::kBiasSign},
      {dense_network({6, 8, 2}, ActivationKind::kTanh), LabelRule::kBiasSign},
      {dense_network({6, 8, 5}, ActivationKind::kTanh, false), LabelRule::kInnerProducts},
      {dense_network({6, 8, 3}, ActivationKind::kRelu, false), LabelRule::kInnerProducts},
      {dense_network({6, 8, 2}, ActivationKind::kSigmoid, false), LabelRule::kRowSums},
  };
  for (const auto& [architecture, rule] : settings) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      Victim victim(architecture, seed);
      for (double& parameter : victim.parameters) parameter *= 1 + seed % 4;  // confident networks as well
      victim.observe();
      const auto found = infer_labels(victim.architecture, victim.gradient, 1);
      ASSERT_TRUE(found);
      EXPECT_EQ(found->rule, rule);
      EXPECT_EQ(found->labels(), victim.labels);
    }
  }
}

Architecture class_map_network(std::vector<Layer> after, bool bias = true) {
  Architecture network{"maps", Shape{2, 6, 6}, {Convolve{4, 3, 3}, Activate{ActivationKind::kRelu}}};
  network.layers.push_back(Convolve{.channels = 5, .bias = bias});
  for (Layer& layer : after) network.layers.push_back(std::move(layer));
  return network;
}

TEST(LabelInference, TellsOneRecordWhereChannelsArePooledToClasses) {
  const Pool mean{PoolKind::kMean, 0, 1}, largest{PoolKind::kMax, 0, 1};
  const Activate relu{ActivationKind::kRelu}, tanh{ActivationKind::kTanh};
  for (const auto& after : std::vector<std::vector<Layer>>{{mean}, {largest}, {tanh, mean}, {relu, mean}}) {
    const Architecture network = class_map_network(after);
    EXPECT_TRUE(shows_labels(network));
    std::size_t told = 0;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const Victim victim(network, seed);
      const auto found = infer_labels(network, victim.gradient, 1);
      if (!found) continue;  // the true class's channel is off everywhere: behind a ReLU only
      ++told;
      EXPECT_EQ(found->rule, LabelRule::kBiasSign);
      EXPECT_EQ(found->labels(), victim.labels);
    }
    const auto* activate = std::get_if<Activate>(&after[0]);
    const bool may_be_off = activate != nullptr && activate->kind == ActivationKind::kRelu;
    EXPECT_GE(told, may_be_off ? 15U : 50U);
  }
}

TEST(LabelInference, ChannelsWithoutBiasOrMixedAfterwardsTellNothing) {
  const Pool mean{PoolKind::kMean, 0, 1};
  const Activate gelu{ActivationKind::kGelu};
  EXPECT_FALSE(shows_labels(class_map_network({mean}, false)));
  EXPECT_FALSE(shows_labels(class_map_network({gelu, mean})));
  EXPECT_FALSE(shows_labels(class_map_network({})));  // every place of a map is an output of its own
  EXPECT_TRUE(shows_labels(dense_network({6, 5}, ActivationKind::kRelu)));
}

TEST(LabelInference, TellsSigmoidTargetsBySigns) {
  for (const bool bias : {true, false}) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const Victim victim(
          dense_network({6, 8, 4}, ActivationKind::kSigmoid, bias, LossKind::kBinaryCrossEntropy), seed);
      const auto found = infer_labels(victim.architecture, victim.gradient, 1);
      ASSERT_TRUE(found);
      EXPECT_TRUE(std::equal(found->counts.begin(), found->counts.end(), victim.targets.begin()));
    }
  }
}

TEST(LabelInference, CountsABatchExactlyWhenTheMeanPredictionIsKnown) {
  for (const Reduction reduction : {Reduction::kMean, Reduction::kSum}) {
    for (const LossKind loss : {LossKind::kSoftmaxCrossEntropy, LossKind::kBinaryCrossEntropy}) {
      for (std::uint64_t seed = 0; seed < 30; ++seed) {
        Architecture architecture = dense_network({6, 8, 5}, ActivationKind::kTanh, true, loss);
        architecture.reduction = reduction;
        const Victim victim(architecture, seed, 16);
        std::vector<double> predictions(16 * 5);
        victim.model->predict(victim.parameters, 16, victim.inputs, predictions);
        std::vector<double> mean(5, 0.0);
        std::vector<std::size_t> ones(5, 0);
        for (std::size_t i = 0; i < predictions.size(); ++i) {
          mean[i % 5] += predictions[i] / 16;
          ones[i % 5] += victim.targets[i] == 1 ? 1 : 0;
        }
        LabelEvidence evidence;
        evidence.mean_prediction = mean;
        const auto found = infer_labels(victim.architecture, victim.gradient, 16, evidence);
        ASSERT_TRUE(found);
        EXPECT_EQ(found->rule, LabelRule::kKnownMeanCounts);
        EXPECT_EQ(found->counts, ones);
      }
    }
  }
}

// With zero output weights every prediction is 1/C, and both count rules are exact; LLG because all its row
// sums are then the same multiple of 1/C - lambda_c / B when the features of all records are equal.
TEST(LabelInference, CountsABatchOfAnUninformedNetworkExactly) {
  for (const bool bias : {true, false}) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      Victim victim(dense_network({6, 8, 5}, ActivationKind::kSigmoid, bias), seed, 4);
      std::fill(victim.parameters.begin() + (bias ? 56 : 48), victim.parameters.end(), 0.0);
      for (std::size_t i = 6; i < victim.inputs.size(); ++i) victim.inputs[i] = victim.inputs[i % 6];
      victim.observe();
      const auto found = infer_labels(victim.architecture, victim.gradient, 4);
      ASSERT_TRUE(found);
      EXPECT_EQ(found->rule, bias ? LabelRule::kBiasCounts : LabelRule::kRowSumCounts);
      EXPECT_EQ(found->counts, true_counts(victim)) << "seed " << seed << " bias " << bias;
    }
  }
}

// Noise can make another row the longest; the one that points against all others is still the label's.
TEST(LabelInference, GoesByInnerProductsBeforeLengths) {
  const std::vector<double> rows{-1, 2, 0.5};
  const auto found = infer_label({3, 1, rows, {}}, false);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->labels(), ::testing::ElementsAre(0));
}

// By hand: m = (1/4)(1 + 1/2)(-1) = -0.375; class 0 once (-0.625), then -0.25, then 0.125, and last class 1,
// whose 0.05 is now the least.
TEST(LabelInference, RepeatsTheLowestRowSumAsLlgDoes) {
  const Architecture architecture = dense_network({1, 2}, ActivationKind::kRelu, false);
  const std::vector<double> gradient{-1, 0.05};
  LabelEvidence evidence;
  evidence.nonnegative_inputs = true;
  const auto found = infer_labels(architecture, gradient, 4, evidence);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->counts, ::testing::ElementsAre(3, 1));
  EXPECT_FALSE(infer_labels(architecture, gradient, 4));  // inputs of either sign
}

double share_told(const Victim& victim, const LabelCounts& found) {
  const auto truth = true_counts(victim);
  std::size_t told = 0;
  for (std::size_t c = 0; c < truth.size(); ++c) told += std::min(truth[c], found.counts[c]);
  return static_cast<double>(told) / static_cast<double>(victim.batch);
}

TEST(LabelInference, TellsMostLabelsOfAnUntrainedNetwork) {
  double by_bias = 0;
  double by_sums = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Victim with(dense_network({10, 32, 10}, ActivationKind::kRelu), seed, 8);
    const Victim without(dense_network({10, 32, 10}, ActivationKind::kRelu, false), seed, 8);
    by_bias += share_told(with, *infer_labels(with.architecture, with.gradient, 8)) / 40;
    by_sums += share_told(without, *infer_labels(without.architecture, without.gradient, 8)) / 40;
  }
  EXPECT_GT(by_bias, 0.95);  // guessing eight labels at random tells about half of them
  EXPECT_GT(by_sums, 0.8);
}

TEST(LabelInference, FindsDistinctLabelsByTheMostNegativeEntries) {
  double told = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Victim victim(dense_network({30, 10}, ActivationKind::kRelu), seed, 4);
    for (double& x : victim.inputs) x = std::abs(x);
    victim.labels = victim.stream.sample_without_replacement(4, 10);
    std::fill(victim.targets.begin(), victim.targets.end(), 0.0);
    for (std::size_t s = 0; s < 4; ++s) victim.targets[s * 10 + victim.labels[s]] = 1;
    victim.observe();
    LabelEvidence evidence;
    evidence.nonnegative_inputs = evidence.distinct_labels = true;
    const auto found = infer_labels(victim.architecture, victim.gradient, 4, evidence);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->rule, LabelRule::kColumnMinima);
    told += share_told(victim, *found) / 40;
  }
  EXPECT_GT(told, 0.95);
}

TEST(LabelInference, NamesEveryRule) {
  std::set<std::string_view> names;
  for (int rule = 0; rule <= static_cast<int>(LabelRule::kColumnMinima); ++rule) {
    names.insert(label_rule_name(static_cast<LabelRule>(rule)));
  }
  EXPECT_EQ(names.size(), 7U);
}

/// Every way to write `total` as a sum of `parts` counts.
void each_count(std::size_t parts, std::size_t total, std::vector<std::size_t>& counts,
                const std::function<void()>& use) {
  if (parts == 1) {
    counts.push_back(total);
    use();
    counts.pop_back();
    return;
  }
  for (std::size_t n = 0; n <= total; ++n) {
    counts.push_back(n);
    each_count(parts - 1, total - n, counts, use);
    counts.pop_back();
  }
}

TEST(LabelInference, RoundsToTheNearestCountsOfAll) {
  Stream stream({3, Purpose::kTest});
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> estimates(3);
    stream.fill_normal(estimates, 4.0);
    const auto distance = [&](const std::vector<std::size_t>& counts) {
      double sum = 0;
      for (std::size_t c = 0; c < 3; ++c) sum += std::pow(static_cast<double>(counts[c]) - estimates[c], 2);
      return sum;
    };
    double best = INFINITY;
    std::vector<std::size_t> counts;
    each_count(3, 6, counts, [&] { best = std::min(best, distance(counts)); });
    const auto rounded = round_to_counts(estimates, 6);
    EXPECT_EQ(std::accumulate(rounded.begin(), rounded.end(), std::size_t{0}), 6U);
    EXPECT_NEAR(distance(rounded), best, 1e-12 * (1 + best));
  }
}

TEST(LabelInference, SaysNothingWhereNothingIsToldAndRefusesWhatDoesNotFit) {
  const Victim victim(dense_network({6, 8, 5}, ActivationKind::kRelu), 1);
  std::vector<double> gradient(victim.gradient.size(), 0.0);
  EXPECT_FALSE(infer_labels(victim.architecture, gradient, 1));
  gradient.back() = std::nan("");
  EXPECT_FALSE(infer_labels(victim.architecture, gradient, 1));
  const Victim two(dense_network({6, 8, 2}, ActivationKind::kTanh, false), 1);
  EXPECT_FALSE(infer_labels(two.architecture, two.gradient, 1));  // both rows look alike
  const Victim squared(dense_network({6, 5}, ActivationKind::kTanh, true, LossKind::kMeanSquared), 1);
  EXPECT_FALSE(infer_labels(squared.architecture, squared.gradient, 1));

  EXPECT_THROW(infer_labels(victim.architecture, std::span(gradient).first(7), 1), Error);
  EXPECT_THROW(infer_labels(victim.architecture, victim.gradient, 0), Error);
  LabelEvidence evidence;
  const std::vector<double> mean(4, 0.25);
  evidence.mean_prediction = mean;
  EXPECT_THROW(infer_labels(victim.architecture, victim.gradient, 2, evidence), Error);
  LabelEvidence distinct;
  distinct.distinct_labels = true;
  EXPECT_THROW(infer_labels(victim.architecture, victim.gradient, 6, distinct), Error);
}

}  // namespace
}  // namespace earshot
