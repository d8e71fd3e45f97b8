#include "earshot/collect/adaptive_training.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/collect/linear_encoder.hpp"
#include "earshot/collect/sensitivity.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Five attributes, of which the task wants mostly the first.
struct Example {
  MatrixXd k = VectorXd{{2, 0.5, 0.1, 0.1, 0.1}}.asDiagonal();
  Records records;
  Task task{DenseNet(k, VectorXd::Zero(5)), Loss::kMeanSquared};

  explicit Example(Index samples, std::uint64_t seed = 1) {
    Stream stream({seed, Purpose::kTest});
    records.inputs.resize(5, samples);
    for (double& x : records.inputs.reshaped()) x = 0.25 * stream.normal();
    records.targets = k * records.inputs;
  }
};

TrainingOptions short_options(double epsilon) {
  TrainingOptions options;
  options.noise.epsilon = epsilon;
  options.latent = 2;
  options.epochs = 800;
  options.learning_rate = 3e-3;
  options.weight_decay = 0.05;
  return options;
}

/// Mean loss over many noise draws; the same draws for every method.
double mean_loss(const Collector& collector, const Example& example, const NoiseRule& rule) {
  double sum = 0;
  for (std::uint64_t draw = 0; draw < 40; ++draw) {
    Stream stream({9, Purpose::kTest, 0, 0, draw});
    sum += release(collector, example.task, example.records, collector.sensitivity, rule, stream).loss;
  }
  return sum / 40;
}

TEST(AdaptiveTraining, ComesNearTheClosedFormAndBeatsBothBaselines) {
  const Example example(150);
  const TrainingOptions options = short_options(6);
  const StreamName where{4, Purpose::kTraining};
  const double adaptive =
      mean_loss(train_adaptive(example.task, example.records, options, where), example, options.noise);
  const double unaware =
      mean_loss(train_task_unaware(example.task, example.records, options, where), example, options.noise);
  const double blind =
      mean_loss(train_privacy_unaware(example.task, example.records, options, where), example, options.noise);
  // The closed form is the best linear encoder along principal axes for noise by measured sensitivity: an
  // independent value, per output as in the loss. 15 %: the descent keeps jittering with the noise.
  const WhitenedTask task = whiten(example.records.inputs, example.k);
  const double closed_form = allocate_on_records(task, example.records.inputs, options.noise).train_loss / 5;
  EXPECT_NEAR(adaptive, closed_form, 0.15 * closed_form);
  EXPECT_LT(adaptive, 0.8 * unaware);
  EXPECT_LT(adaptive, 0.95 * blind);
}

TEST(AdaptiveTraining, IsAFunctionOfItsStreams) {
  const Example example(40);
  TrainingOptions options = short_options(3);
  options.epochs = 5;
  const auto train = [&](std::uint64_t seed) {
    return train_adaptive(example.task, example.records, options, {seed, Purpose::kTraining});
  };
  const Collector first = train(1);
  const Collector again = train(1);
  EXPECT_EQ(first.encoder->parameters(), again.encoder->parameters());
  EXPECT_EQ(first.decoder.parameters(), again.decoder.parameters());
  EXPECT_EQ(first.epoch_loss, again.epoch_loss);
  EXPECT_NE(first.encoder->parameters(), train(2).encoder->parameters());
}

TEST(AdaptiveTraining, FirstEpochHasNoNoiseAndLaterOnesDo) {
  const Example example(40);
  TrainingOptions options = short_options(0.01);
  options.epochs = 2;
  const Collector noisy = train_adaptive(example.task, example.records, options, {1, Purpose::kTraining});
  options.noise.epsilon = 1e9;
  const Collector clean = train_adaptive(example.task, example.records, options, {1, Purpose::kTraining});
  ASSERT_EQ(noisy.epoch_loss.size(), 2U);
  EXPECT_DOUBLE_EQ(noisy.epoch_loss[0], clean.epoch_loss[0]);
  EXPECT_GT(noisy.epoch_loss[1], 10 * clean.epoch_loss[1]);
}

TEST(AdaptiveTraining, SensitivityIsMeasuredOnTheEncodedRecords) {
  const Example example(60);
  TrainingOptions options = short_options(2);
  options.epochs = 3;
  options.hidden_layer = true;
  const Collector collector = train_adaptive(example.task, example.records, options, {1, Purpose::kTraining});
  EXPECT_DOUBLE_EQ(collector.sensitivity, l1_diameter((*collector.encoder)(example.records.inputs)));
  EXPECT_EQ(collector.encoder->layer_count(), 2U);
}

TEST(AdaptiveTraining, ADomainHoldsForRecordsNobodyHasSeen) {
  const Example example(60);
  TrainingOptions options = short_options(2);
  options.epochs = 20;
  const MatrixXd strange = 50 * Example(200, 7).records.inputs;
  for (const auto shape : {LatentDomain::Shape::kBox, LatentDomain::Shape::kL1Ball}) {
    options.domain = DomainRule{shape, 0.95};
    for (const auto train : {train_adaptive, train_task_unaware, train_privacy_unaware}) {
      const Collector collector = train(example.task, example.records, options, {1, Purpose::kTraining});
      EXPECT_LE(l1_diameter(collector.encode(strange)), collector.sensitivity * (1 + 1e-12));
    }
  }
}

TEST(AdaptiveTraining, RefusesALatentLargerThanTheRecord) {
  const Example example(10);
  TrainingOptions options = short_options(1);
  options.latent = 6;
  EXPECT_THROW(train_adaptive(example.task, example.records, options, {}), Error);
}

TEST(TaskTraining, LearnsAndCountsItsStarts) {
  const Example example(80);
  Records records = example.records;
  records.targets = records.inputs.colwise().squaredNorm();
  const TrainedTask trained =
      train_task(records, Loss::kMeanSquared, {1000, 1e-2, false}, {1, Purpose::kTraining});
  EXPECT_EQ(trained.attempts, 1U);
  EXPECT_LT(trained.train_loss, 0.3 * constant_loss(Loss::kMeanSquared, records.targets));
  EXPECT_EQ(trained.task.net.width(1), 7);  // floor(1.5 * 5)
}

TEST(TaskTraining, RectifiedOutputsDieAndAreStartedAgain) {
  const Example example(60);
  Records records = example.records;
  records.targets = (0.3 * records.inputs.colwise().squaredNorm()).array() + 0.01;
  std::size_t restarted = 0;
  for (std::uint64_t trial = 0; trial < 20; ++trial) {
    const TrainedTask trained =
        train_task(records, Loss::kMeanSquared, {400, 1e-2, true}, {1, Purpose::kTraining, trial});
    EXPECT_LT(trained.train_loss, kDeadShare * constant_loss(Loss::kMeanSquared, records.targets));
    restarted += trained.attempts > 1 ? 1 : 0;
  }
  EXPECT_GT(restarted, 0U);
  // Targets below zero can never be reached: every start is dead, and that is said.
  records.targets = records.targets.array() - 5;
  EXPECT_THROW(train_task(records, Loss::kMeanSquared, {50, 1e-2, true}, {1, Purpose::kTraining}), Error);
}

}  // namespace
}  // namespace earshot
