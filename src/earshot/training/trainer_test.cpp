#include "earshot/training/trainer.hpp"

#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/model/native/native_model.hpp"
#include "earshot/training/split.hpp"

namespace earshot {
namespace {

using ::testing::HasSubstr;

std::vector<double> start(const Model& model, std::uint64_t seed = 1) {
  std::vector<double> parameters(model.parameter_count());
  Stream stream({seed, Purpose::kModelInit});
  model.initialise(stream, parameters);
  return parameters;
}

/// Two Gaussian clouds three deviations apart.
std::unique_ptr<Examples> clouds(std::size_t count) {
  Stream stream({5, Purpose::kTest});
  std::vector<double> inputs, labels;
  for (std::size_t i = 0; i < count; ++i) {
    labels.push_back(static_cast<double>(i % 2));
    for (int k = 0; k < 2; ++k) inputs.push_back(stream.normal() + (i % 2 == 0 ? -2 : 2));
  }
  return record_examples({2}, inputs, {2, labels});
}

std::vector<std::size_t> range(std::size_t from, std::size_t to) {
  std::vector<std::size_t> out;
  for (std::size_t i = from; i < to; ++i) out.push_back(i);
  return out;
}

/// Full-batch descent on squared error ends at the least-squares line: y = 2 x - 1 plus a residual that is
/// orthogonal to 1 and x.
TEST(Trainer, FindsTheLeastSquaresLine) {
  auto model = make_native_model({"", {1}, {Dense{1}}, LossKind::kMeanSquared});
  const auto examples = record_examples({1}, {-1, 0, 0, 1}, {0, {-2.5, -1.5, -0.5, 0.5}});
  // Residuals 0.5, -0.5, 0.5, -0.5: their sum is 0, their product with x is -1, so the slope is 2 - 1/2.
  auto theta = start(*model);
  TrainerOptions options;
  options.epochs = 400;
  options.batch = 0;
  options.optimiser = SgdOptions{0.3};
  const TrainingResult result = train(*model, theta, *examples, {all_of(4), {}, {}}, options);
  EXPECT_NEAR(theta[0], 1.5, 1e-10);
  EXPECT_NEAR(theta[1], -1, 1e-10);
  EXPECT_EQ(result.steps, 400U);
  EXPECT_NEAR(*result.epochs.back().train_loss, 0.125, 1e-10);
}

TEST(Trainer, LearnsToTellCloudsApartAndBeatsTheMajority) {
  auto model = make_native_model({"", {2}, {Dense{8}, Activate{}, Dense{2}}});
  const auto examples = clouds(400);
  auto theta = start(*model);
  TrainerOptions options;
  options.epochs = 5;
  options.optimiser = AdamOptions{0.01};
  options.batch = 32;
  const TrainingResult result =
      train(*model, theta, *examples, {range(0, 300), {}, range(300, 400)}, options);
  EXPECT_GT(result.epochs.back().test->accuracy, 0.97);
  EXPECT_DOUBLE_EQ(result.epochs.back().test->baseline, 0.5);
  EXPECT_LT(*result.epochs.back().train_loss, *result.epochs.front().train_loss);
  EXPECT_EQ(result.steps, 50U);  // nine batches of 32 and one of 12, five times
}

TEST(Trainer, IsReproducibleToTheBit) {
  const auto examples = clouds(100);
  std::vector<std::vector<double>> ends;
  for (const std::uint64_t seed : {1, 1, 2}) {
    auto model = make_native_model({"", {2}, {Dense{8}, Activate{}, Dropout{0.3}, Dense{2}}});
    auto theta = start(*model);
    TrainerOptions options;
    options.epochs = 2;
    options.batch = 16;
    options.seed = seed;
    train(*model, theta, *examples, {all_of(100), {}, {}}, options);
    ends.push_back(theta);
  }
  EXPECT_EQ(ends[0], ends[1]);
  EXPECT_NE(ends[0], ends[2]);
}

TEST(Trainer, SinglePrecisionStaysNearby) {
  const auto examples = clouds(100);
  std::vector<std::vector<double>> ends;
  for (const Precision precision : {Precision::kDouble, Precision::kSingle}) {
    auto model = make_native_model({"", {2}, {Dense{8}, Activate{ActivationKind::kTanh}, Dense{2}}});
    auto theta = start(*model);
    TrainerOptions options;
    options.epochs = 3;
    options.optimiser = SgdOptions{0.1, 0.9, 1e-3};
    options.precision = precision;
    train(*model, theta, *examples, {all_of(100), {}, {}}, options);
    ends.push_back(theta);
  }
  EXPECT_NE(ends[0], ends[1]);
  for (std::size_t i = 0; i < ends[0].size(); ++i) EXPECT_NEAR(ends[0][i], ends[1][i], 1e-4);
}

TEST(Trainer, DropsALastBatchThatIsNotFull) {
  const auto examples = clouds(100);
  auto model = make_native_model({"", {2}, {Dense{2}}});
  auto theta = start(*model);
  TrainerOptions options;
  options.epochs = 3;
  options.batch = 48;
  EXPECT_EQ(train(*model, theta, *examples, {all_of(100), {}, {}}, options).steps, 9U);
  options.drop_last = true;
  EXPECT_EQ(train(*model, theta, *examples, {all_of(100), {}, {}}, options).steps, 6U);
}

/// Labels drawn by coin: validation only gets worse as the network learns them by heart.
TEST(Trainer, StopsEarlyAndGoesBackToTheBest) {
  Stream stream({5, Purpose::kTest});
  std::vector<double> inputs, labels;
  for (int i = 0; i < 80; ++i) {
    for (int k = 0; k < 10; ++k) inputs.push_back(stream.normal());
    labels.push_back(static_cast<double>(stream.below(2)));
  }
  const auto examples = record_examples({10}, inputs, {2, labels});
  auto model = make_native_model({"", {10}, {Dense{50}, Activate{}, Dense{2}}});
  auto theta = start(*model);
  TrainerOptions options;
  options.epochs = 200;
  options.patience = 3;
  options.optimiser = AdamOptions{0.01};
  const TrainingResult result = train(*model, theta, *examples, {range(0, 40), range(40, 80), {}}, options);
  EXPECT_TRUE(result.stopped_early);
  EXPECT_LT(result.epochs.size(), 100U);
  double best = 1e9;
  for (const EpochReport& epoch : result.epochs) best = std::min(best, epoch.validation->loss);
  const auto worker = make_worker(*model, Precision::kDouble);
  EXPECT_DOUBLE_EQ(evaluate(*model, *worker, theta, *examples, range(40, 80)).loss, best);
  EXPECT_GT(result.epochs.back().validation->loss, best);
}

TEST(Trainer, MovesBatchNormStatistics) {
  const auto examples = clouds(64);
  auto model = make_native_model({"", {2}, {BatchNorm{}, Dense{2}}});
  auto theta = start(*model);
  TrainerOptions options;
  options.epochs = 60;
  options.batch = 0;
  train(*model, theta, *examples, {all_of(64), {}, {}}, options);
  ExampleMemory memory;
  const Problems<double> all = examples->gather(all_of(64), 2, 0, memory);
  for (std::size_t k = 0; k < 2; ++k) {
    double mean = 0, square = 0;
    for (std::size_t i = 0; i < 64; ++i) mean += all.inputs[2 * i + k] / 64;
    for (std::size_t i = 0; i < 64; ++i) square += std::pow(all.inputs[2 * i + k] - mean, 2) / 63;
    EXPECT_NEAR(model->buffers()[k], mean, 0.01);
    EXPECT_NEAR(model->buffers()[2 + k], square, 0.05);
  }
}

TEST(Trainer, PrivateTrainingLearnsAndKeepsItsLedger) {
  const auto examples = clouds(400);
  auto model = make_native_model({"", {2}, {Dense{2}}});
  auto theta = start(*model);
  TrainerOptions options;
  options.epochs = 5;
  options.batch = 50;
  options.together = 20;
  options.optimiser = SgdOptions{0.5};
  options.privacy = PrivacyOptions{.clip = 1, .noise = 1};
  const TrainingResult result =
      train(*model, theta, *examples, {range(0, 300), {}, range(300, 400)}, options);
  EXPECT_GT(result.epochs.back().test->accuracy, 0.95);
  EXPECT_FALSE(result.epochs.back().train_loss.has_value());
  EXPECT_EQ(result.ledger->entries()[0].count, 30U);
  EXPECT_EQ(result.statement->epsilon, result.epochs.back().epsilon);
  EXPECT_GT(*result.epochs.back().epsilon, *result.epochs.front().epsilon);
  EXPECT_THAT(result.statement->assumptions, ::testing::Contains(HasSubstr("simulated")));
}

TEST(Trainer, StopsWhenTheBudgetIsSpent) {
  const auto examples = clouds(400);
  auto model = make_native_model({"", {2}, {Dense{2}}});
  auto theta = start(*model);
  TrainerOptions options;
  options.epochs = 100;
  options.batch = 50;
  options.privacy = PrivacyOptions{.noise = 1, .budget = 3.0};
  const TrainingResult result = train(*model, theta, *examples, {all_of(400), {}, {}}, options);
  EXPECT_TRUE(result.budget_exhausted);
  EXPECT_LT(result.steps, 800U);
  EXPECT_LE(*result.statement->epsilon, 3.0);
  EXPECT_EQ(result.ledger->entries()[0].count, result.steps);
}

TEST(Trainer, RefusesInOneSentence) {
  const auto examples = clouds(10);
  const auto refusal = [&](const TrainingParts& parts, const TrainerOptions& options) -> std::string {
    auto model = make_native_model({"", {2}, {BatchNorm{}, Dense{2}}});
    auto theta = start(*model);
    try {
      train(*model, theta, *examples, parts, options);
    } catch (const Error& error) {
      EXPECT_NE(error.fault(), Fault::kInternal);
      return error.what();
    }
    return "accepted";
  };
  TrainerOptions options;
  EXPECT_THAT(refusal({{}, {}, {}}, options), HasSubstr("no examples to train on"));
  EXPECT_THAT(refusal({range(0, 5), {}, range(4, 6)}, options), HasSubstr("example 4 stands in two parts"));
  options.patience = 1;
  EXPECT_THAT(refusal({range(0, 5), {}, {}}, options), HasSubstr("validation part"));
  options = {};
  options.together = 4;
  EXPECT_THAT(refusal({range(0, 5), {}, {}}, options), HasSubstr("per-example clipping"));
  options.privacy = PrivacyOptions{};
  options.batch = 2;
  EXPECT_THAT(refusal({range(0, 5), {}, {}}, options), HasSubstr("cannot be made of parts"));
  options.together = 0;
  // A record's gradient through batch statistics is not its own.
  EXPECT_THAT(refusal({range(0, 5), {}, {}}, options), HasSubstr("batch"));
  options = {};
  options.optimiser = SgdOptions{1e308};
  EXPECT_THAT(refusal({range(0, 5), {}, {}}, options), HasSubstr("lower the learning rate"));
}

}  // namespace
}  // namespace earshot
