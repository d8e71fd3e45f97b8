#include "earshot/training/scores.hpp"

#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/model/native/native_model.hpp"
#include "earshot/training/split.hpp"

namespace earshot {
namespace {

TEST(Scores, LossesAreThoseOfTheFormulas) {
  const std::vector<double> z{0.5, -1, 2};
  const std::vector<double> hard{0, 0, 1};
  const double sum = std::exp(0.5) + std::exp(-1) + std::exp(2);
  EXPECT_NEAR(example_loss(LossKind::kSoftmaxCrossEntropy, z, hard), -std::log(std::exp(2) / sum), 1e-14);
  const std::vector<double> soft{0.25, 0.75, 0.5};
  EXPECT_NEAR(example_loss(LossKind::kSoftmaxCrossEntropy, z, soft), 1.5 * std::log(sum) - (0.125 - 0.75 + 1),
              1e-14);
  double binary = 0, squares = 0;
  for (int i = 0; i < 3; ++i) {
    const double p = 1 / (1 + std::exp(-z[i]));
    binary -= (soft[i] * std::log(p) + (1 - soft[i]) * std::log(1 - p)) / 3;
    squares += (z[i] - soft[i]) * (z[i] - soft[i]) / 3;
  }
  EXPECT_NEAR(example_loss(LossKind::kBinaryCrossEntropy, z, soft), binary, 1e-14);
  EXPECT_NEAR(example_loss(LossKind::kMeanSquared, z, soft), squares, 1e-14);
}

TEST(Scores, LossesSurviveLargeOutputs) {
  const std::vector<double> z{1000, -1000};
  EXPECT_EQ(example_loss(LossKind::kSoftmaxCrossEntropy, z, std::vector<double>{1, 0}), 0);
  EXPECT_EQ(example_loss(LossKind::kSoftmaxCrossEntropy, z, std::vector<double>{0, 1}), 2000);
  EXPECT_EQ(example_loss(LossKind::kBinaryCrossEntropy, z, std::vector<double>{0, 0}), 500);
}

TEST(Scores, BaselinesKnowTheTrainingPartOnly) {
  const Targets classes{3, {0, 0, 1, 2, 2, 2}};
  EXPECT_DOUBLE_EQ(baseline(classes, std::vector<std::size_t>{0, 1, 2}, std::vector<std::size_t>{1, 3, 4, 5}),
                   0.25);
  const Targets numbers{0, {1, 3, 10, 4}};
  EXPECT_DOUBLE_EQ(baseline(numbers, std::vector<std::size_t>{0, 1}, std::vector<std::size_t>{2, 3}),
                   std::sqrt((64.0 + 4) / 2));
  EXPECT_THROW(baseline(numbers, std::vector<std::size_t>{}, std::vector<std::size_t>{2}), Error);
}

/// 150 records through z = x, in more than one piece; every third is of the other class.
TEST(Scores, CountsRightAnswers) {
  const auto model = make_native_model({"", {1}, {Dense{1, false}}, LossKind::kBinaryCrossEntropy});
  std::vector<double> inputs, labels;
  double loss = 0;
  for (std::size_t i = 0; i < 150; ++i) {
    inputs.push_back(i % 3 == 0 ? -2 : 1);
    labels.push_back(i % 5 == 0 ? 0 : 1);
    loss += std::log1p(std::exp(labels[i] == 1 ? -inputs[i] : inputs[i])) / 150;
  }
  const auto examples = record_examples({1}, inputs, {2, labels});
  const auto worker = make_worker(*model, Precision::kDouble);
  const Scores scores = evaluate(*model, *worker, std::vector<double>{1}, *examples, all_of(150));
  // Right: multiples of 15 (10) and those of neither 3 nor 5 (80).
  EXPECT_DOUBLE_EQ(scores.accuracy, 90.0 / 150);
  EXPECT_NEAR(scores.loss, loss, 1e-12);
  EXPECT_EQ(scores.examples, 150U);
  const auto quick = make_worker(*model, Precision::kSingle);
  const Scores single = evaluate(*model, *quick, std::vector<double>{1}, *examples, all_of(150));
  EXPECT_EQ(single.accuracy, scores.accuracy);
  EXPECT_NEAR(single.loss, loss, 1e-6);
}

TEST(Scores, NumbersHaveARootMeanSquare) {
  const auto model = make_native_model({"", {1}, {Dense{1, false}}, LossKind::kMeanSquared});
  const auto examples = record_examples({1}, {1, 2, 3}, {0, {1, 1, 5}});
  const auto worker = make_worker(*model, Precision::kDouble);
  const Scores scores = evaluate(*model, *worker, std::vector<double>{1}, *examples, all_of(3));
  EXPECT_FALSE(scores.classes);
  EXPECT_NEAR(scores.accuracy, std::sqrt(5.0 / 3), 1e-14);
  EXPECT_NEAR(scores.loss, 5.0 / 3, 1e-14);
  EXPECT_TRUE(to_json(scores).contains("rmse"));
}

}  // namespace
}  // namespace earshot
