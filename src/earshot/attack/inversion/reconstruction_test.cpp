#include "earshot/attack/inversion/reconstruction.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/model/native/native_model.hpp"

namespace earshot {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A network, a batch of normal records with classes 0, 1, 2, ... and their gradient.
struct Scene {
  explicit Scene(Architecture net, std::size_t batch = 1)
      : architecture(std::move(net)), model(make_native_model(architecture)), records(batch) {
    Stream stream({5, Purpose::kTest});
    parameters.resize(model->parameter_count());
    model->initialise(stream, parameters);
    inputs.resize(batch * model->input_size());
    stream.fill_normal(inputs, 1);
    targets.resize(batch * model->output_size());
    for (std::size_t i = 0; i < batch; ++i) targets[i * model->output_size() + i % model->output_size()] = 1;
    knowledge.architecture = &architecture;
    knowledge.input = architecture.input;
  }
  std::vector<double> gradient(std::span<const double> at) const {
    std::vector<double> out(at.size());
    model->gradient(at, {records, inputs, targets}, out);
    return out;
  }
  Observation heard() const { return observe_gradient(parameters, gradient(parameters), records); }
  double worst_error(std::span<const double> guess) const {
    double worst = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) worst = std::max(worst, std::abs(inputs[i] - guess[i]));
    return worst;
  }

  Architecture architecture;
  std::unique_ptr<Model> model;
  std::size_t records;
  std::vector<double> parameters;
  std::vector<double> inputs;
  std::vector<double> targets;
  AttackerKnowledge knowledge;
};

Architecture perceptron(ActivationKind kind = ActivationKind::kRelu) {
  return {"", {6}, {Dense{20}, Activate{kind}, Dense{4}}};
}
Architecture without_bias(ActivationKind kind) {
  return {"", {6}, {Dense{20, false}, Activate{kind}, Dense{4, false}}};
}

AttackOptions search_for(LabelSource labels) {
  AttackOptions options;
  options.labels = labels;
  options.inversion.restarts = 4;
  options.inversion.descent = LbfgsOptions{500, 50, 1e-24};
  return options;
}

TEST(Reconstruction, TakesTheExactWayFirstAndSaysWhich) {
  const Scene scene(perceptron());
  const auto found =
      reconstruct(*scene.model, scene.heard(), scene.knowledge, search_for(LabelSource::kOptimised));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->route, "first dense layer");
  EXPECT_FALSE(found->search);
  EXPECT_LT(scene.worst_error(found->inputs), 1e-9);
  EXPECT_EQ(found->targets, scene.targets);
}

TEST(Reconstruction, ScaledSumsOfGradientsAreTheSameObservation) {
  const Scene scene(perceptron());
  Observation heard = scene.heard();
  heard.terms[0].factor = 8;
  for (double& x : heard.values) x *= 8;
  const auto found = reconstruct(*scene.model, heard, scene.knowledge, {});
  ASSERT_TRUE(found);
  EXPECT_LT(scene.worst_error(found->inputs), 1e-9);
}

TEST(Reconstruction, SearchesWithEverySourceOfLabels) {
  Scene scene(perceptron(ActivationKind::kSigmoid));
  scene.knowledge.targets = scene.targets;
  for (const LabelSource labels : {LabelSource::kKnown, LabelSource::kInferred, LabelSource::kOptimised,
                                   LabelSource::kTraversed, LabelSource::kPerClass}) {
    AttackOptions options = search_for(labels);
    options.closed_forms = false;
    const auto found = reconstruct(*scene.model, scene.heard(), scene.knowledge, options);
    ASSERT_TRUE(found && found->search);
    EXPECT_THAT(found->route, HasSubstr(kLabelSourceNames[static_cast<std::size_t>(labels)]));
    EXPECT_LT(scene.worst_error(found->inputs), 1e-3) << found->route;
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_NEAR(found->targets[i], scene.targets[i], 1e-2) << found->route;
  }
}

TEST(Reconstruction, TraversesAllSetsOfDifferentLabels) {
  const Scene scene(perceptron(ActivationKind::kSigmoid), 2);
  AttackOptions options = search_for(LabelSource::kTraversed);
  options.inversion.restarts = 1;
  options.inversion.descent = LbfgsOptions{1};
  const auto found = reconstruct(*scene.model, scene.heard(), scene.knowledge, options);
  EXPECT_EQ(found->search->restarts.size(), 6U);  // 4 choose 2
  const Scene crowd(perceptron(ActivationKind::kSigmoid), 5);
  EXPECT_THROW(reconstruct(*crowd.model, crowd.heard(), crowd.knowledge, options), Error);
}

TEST(Reconstruction, SeeksOneRecordPerClassAndKeepsThoseThatMatchBest) {
  const Scene scene(perceptron(ActivationKind::kSigmoid), 2);
  const Observation heard = scene.heard();
  const auto found = reconstruct(*scene.model, heard, scene.knowledge, search_for(LabelSource::kPerClass));
  ASSERT_TRUE(found && found->search);
  ASSERT_EQ(found->inputs.size(), scene.inputs.size());
  ASSERT_EQ(found->search->start.size(), scene.inputs.size());
  EXPECT_EQ(found->search->restarts.size(), 4U * 4U);

  // Half the gradient of either record alone, beside what was heard of both.
  std::vector<double> best(4, 1e300);
  for (const RestartReport& report : found->search->restarts)
    best[report.candidate] = std::min(best[report.candidate], report.value);
  std::vector<double> gradient(scene.parameters.size());
  std::vector<double> distances;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::span<const double> input(&found->inputs[i * 6], 6);
    const std::span<const double> target(&found->targets[i * 4], 4);
    scene.model->gradient(scene.parameters, {1, input, target}, gradient);
    double distance = 0;
    for (std::size_t p = 0; p < gradient.size(); ++p)
      distance += (gradient[p] / 2 - heard.values[p]) * (gradient[p] / 2 - heard.values[p]);
    const auto label = std::ranges::max_element(target) - target.begin();
    EXPECT_NEAR(distance, best[static_cast<std::size_t>(label)], 1e-9);
    distances.push_back(distance);
  }
  EXPECT_NEAR(found->search->distance, (distances[0] + distances[1]) / 2, 1e-9);
  std::ranges::sort(best);
  EXPECT_NEAR(distances[0], best[0], 1e-9);
  EXPECT_NEAR(distances[1], best[1], 1e-9);
}

TEST(Reconstruction, RefusesToSeekRecordByRecordWhereThatSaysNothing) {
  AttackOptions options = search_for(LabelSource::kPerClass);
  const Scene crowd(perceptron(ActivationKind::kSigmoid), 5);
  EXPECT_THROW(reconstruct(*crowd.model, crowd.heard(), crowd.knowledge, options), Error);
  const Scene scene(perceptron(ActivationKind::kSigmoid), 2);
  Observation steps = scene.heard();
  steps.local_training = LocalTraining{2, 1, 0.1};
  EXPECT_THROW(reconstruct(*scene.model, steps, scene.knowledge, options), Error);
  options.inversion.start = Start::kGiven;
  EXPECT_THROW(reconstruct(*scene.model, scene.heard(), scene.knowledge, options), Error);
}

TEST(Reconstruction, WithoutASearchNoiseLeavesTheRatioAtTheFirstLayer) {
  const Scene scene(perceptron());
  Observation heard = scene.heard();
  Stream stream({6, Purpose::kTest});
  for (double& x : heard.values) x += 1e-4 * stream.normal();
  AttackOptions options;
  options.search = false;
  options.fit = DenseFit::kRankOne;
  const auto found = reconstruct(*scene.model, heard, scene.knowledge, options);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->route, "first dense layer, not exact");
  EXPECT_GT(scene.worst_error(found->inputs), 1e-7);
  EXPECT_LT(scene.worst_error(found->inputs), 0.05);
  const Scene batch(perceptron(ActivationKind::kSigmoid), 3);
  EXPECT_FALSE(reconstruct(*batch.model, batch.heard(), batch.knowledge, options));
}

TEST(Reconstruction, ADifferenceAtUnknownModelsStillShowsTheInput) {
  const Scene scene(perceptron());
  std::vector<double> moved = scene.parameters;
  for (double& x : moved) x *= 0.9;
  Observation heard = observe_difference(scene.parameters, moved, scene.gradient(scene.parameters), 1);
  const std::vector<double> second = scene.gradient(moved);
  for (std::size_t i = 0; i < second.size(); ++i) heard.values[i] -= second[i];
  EXPECT_EQ(reconstruct(*scene.model, heard, scene.knowledge, {})->route,
            "difference at the first dense layer");
  for (GradientTerm& term : heard.terms) term.parameters.clear();
  const auto found = reconstruct(*scene.model, heard, scene.knowledge, {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->route, "first dense layer, not verified");
  EXPECT_TRUE(found->targets.empty());
  EXPECT_LT(scene.worst_error(found->inputs), 1e-9);
}

TEST(Reconstruction, StartsWhereItIsToldAndKeepsToTheRange) {
  Scene scene(without_bias(ActivationKind::kTanh));
  scene.knowledge.range = Box{0, -0.5, 0.5};
  scene.knowledge.similar = [&](std::span<const double> targets) {
    EXPECT_EQ(targets.size(), 4U);
    return std::vector<double>(6, 0.25);
  };
  AttackOptions options = search_for(LabelSource::kKnown);
  scene.knowledge.targets = scene.targets;
  options.closed_forms = false;
  options.in_range = true;
  options.inversion.restarts = 1;
  options.inversion.start = Start::kGiven;
  options.inversion.descent = FirstOrderOptions{.iterations = 50, .rate = 0.2};
  const auto found = reconstruct(*scene.model, scene.heard(), scene.knowledge, options);
  EXPECT_THAT(found->search->start, ::testing::Each(0.25));
  for (const double x : found->inputs) EXPECT_LE(std::abs(x), 0.5);
  EXPECT_EQ(scene.knowledge.range->variables, 0U);
}

TEST(Reconstruction, LayersMayCountForNothing) {
  const Scene scene(perceptron(ActivationKind::kSigmoid));
  AttackOptions options = search_for(LabelSource::kOptimised);
  options.closed_forms = false;
  options.layer_weights = {1, 0};
  Observation heard = scene.heard();
  for (std::size_t i = heard.values.size() - 84; i < heard.values.size(); ++i) heard.values[i] = 1e3;
  const auto found = reconstruct(*scene.model, heard, scene.knowledge, options);
  EXPECT_LT(scene.worst_error(found->inputs), 1e-3);
}

void expect_refused(const Scene& scene, const Observation& heard, const AttackOptions& options,
                    const char* sentence, Fault fault = Fault::kConfig) {
  try {
    reconstruct(*scene.model, heard, scene.knowledge, options);
    FAIL() << sentence;
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), fault);
    EXPECT_THAT(error.what(), HasSubstr(sentence));
  }
}

/// A search that takes zeros for what they say cannot meet the rest; one that knows better finds the record.
TEST(Reconstruction, NumbersThatWereLeftOutAreNotMatched) {
  Scene scene(without_bias(ActivationKind::kSigmoid));
  Observation heard = scene.heard();
  std::vector<double> sorted = heard.values;
  for (double& x : sorted) x = std::abs(x);
  std::ranges::sort(sorted);
  for (double& x : heard.values)
    if (std::abs(x) < sorted[sorted.size() * 6 / 10]) x = 0;
  scene.knowledge.targets = scene.targets;
  AttackOptions options = search_for(LabelSource::kKnown);
  options.closed_forms = false;
  const auto fooled = reconstruct(*scene.model, heard, scene.knowledge, options);
  scene.knowledge.pruned = true;
  const auto aware = reconstruct(*scene.model, heard, scene.knowledge, options);
  ASSERT_TRUE(fooled && aware);
  EXPECT_GT(scene.worst_error(fooled->inputs), 0.05);
  EXPECT_LT(scene.worst_error(aware->inputs), 1e-4);
  EXPECT_THAT(aware->route, HasSubstr("squared without zeros"));
  std::ranges::fill(heard.values, 0.0);
  try {
    reconstruct(*scene.model, heard, scene.knowledge, options);
    FAIL() << "nothing was sent";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kData);  // a result, not the end of the run
  }
}

TEST(Reconstruction, SaysWhatItCannotKnow) {
  const Scene scene(perceptron());
  AttackOptions options = search_for(LabelSource::kInferred);
  options.closed_forms = false;
  const Observation difference =
      observe_difference(scene.parameters, scene.parameters, scene.gradient(scene.parameters), 1);
  expect_refused(scene, difference, options, "labels cannot be inferred", Fault::kData);
  options.labels = LabelSource::kOptimised;
  options.in_range = true;
  expect_refused(scene, scene.heard(), options, "no range");
  options.in_range = false;
  options.moments_weight = 1;
  expect_refused(scene, scene.heard(), options, "no mean and deviation");
  options.moments_weight = 0;
  options.inversion.matching.kind = MatchingKind::kLaplace;
  expect_refused(scene, scene.heard(), options, "needs the scale of the noise");
}

}  // namespace
}  // namespace earshot
