#include "earshot/attack/inversion/inversion.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "earshot/attack/inversion/local_training.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/parallel.hpp"
#include "earshot/model/native/native_model.hpp"

namespace earshot {
namespace {

Architecture perceptron(ActivationKind kind = ActivationKind::kSigmoid) {
  Architecture net;
  net.input = Shape{6};
  net.layers = {Dense{14}, Activate{kind}, Dense{12}, Activate{kind}, Dense{3}};
  return net;
}

/// A victim: records, labels and parameters drawn at random.
struct Victim {
  explicit Victim(std::size_t count, std::uint64_t seed = 1, Architecture net = perceptron())
      : architecture(std::move(net)), model(make_native_model(architecture)), records(count) {
    Stream stream({seed, Purpose::kTest});
    parameters.resize(model->parameter_count());
    model->initialise(stream, parameters);
    other = parameters;
    for (double& x : other) x += 0.1 * stream.normal();
    inputs.resize(count * model->input_size());
    stream.fill_normal(inputs, 1);
    targets.assign(count * model->output_size(), 0.0);
    for (std::size_t i = 0; i < count; ++i) targets[i * model->output_size() + i % model->output_size()] = 1;
  }
  std::vector<double> gradient(Parameters at) const { return gradient_of(at, inputs, targets, records); }
  std::vector<double> gradient_of(Parameters at, std::span<const double> x, std::span<const double> y,
                                  std::size_t count) const {
    std::vector<double> out(parameters.size());
    model->gradient(at, {count, x, y}, out);
    return out;
  }
  /// Plain steps of a client, done by hand.
  std::vector<double> trained(const LocalTraining& training) const {
    std::vector<double> at = parameters;
    for (std::size_t epoch = 0; epoch < training.epochs; ++epoch) {
      for (std::size_t first = 0; first < records; first += training.batch) {
        const std::size_t size = std::min(training.batch, records - first);
        const auto x = std::span(inputs).subspan(first * model->input_size(), size * model->input_size());
        const auto y = std::span(targets).subspan(first * model->output_size(), size * model->output_size());
        const auto g = gradient_of(at, x, y, size);
        for (std::size_t i = 0; i < at.size(); ++i) at[i] -= training.rate * g[i];
      }
    }
    return at;
  }

  Architecture architecture;
  std::unique_ptr<Model> model;
  std::size_t records;
  std::vector<double> parameters, other, inputs, targets;
};

std::vector<double> minus(std::span<const double> a, std::span<const double> b) {
  std::vector<double> out(a.begin(), a.end());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] -= b[i];
  return out;
}

double largest_error(std::span<const double> a, std::span<const double> b) {
  double out = 0;
  for (std::size_t i = 0; i < a.size(); ++i) out = std::max(out, std::abs(a[i] - b[i]));
  return out;
}

Observation difference(const Victim& victim) {
  return observe_difference(victim.parameters, victim.other,
                            minus(victim.gradient(victim.parameters), victim.gradient(victim.other)),
                            victim.records);
}

InversionOptions known_labels(const Victim& victim) {
  InversionOptions options;
  options.targets = victim.targets;
  options.restarts = 4;
  return options;
}

/// At the truth a prediction is what was observed, and pullbacks are derivatives of it.
void expect_predicts(const Victim& victim, const Observation& observation, double tolerance) {
  auto predictor = make_predictor<double>(*victim.model, observation);
  const std::size_t size = observation.values.size();
  const auto predict = [&](std::span<const double> x, std::span<const double> y) {
    std::vector<double> out(size);
    predictor->predict({1, victim.records, x, y}, out);
    return out;
  };
  EXPECT_LT(largest_error(predict(victim.inputs, victim.targets), observation.values), 1e-14);

  std::vector<double> direction(size), x_slopes(victim.inputs.size()), y_slopes(victim.targets.size());
  Stream({9}).fill_normal(direction, 1);
  predictor->pull(direction, {x_slopes, y_slopes, {}});
  const auto along = [&](std::span<const double> x, std::span<const double> y) {
    const auto p = predict(x, y);
    double sum = 0;
    for (std::size_t i = 0; i < size; ++i) sum += direction[i] * p[i];
    return sum;
  };
  for (std::size_t i = 0; i < victim.inputs.size(); ++i) {
    auto ahead = victim.inputs, behind = victim.inputs;
    ahead[i] += 1e-5;
    behind[i] -= 1e-5;
    EXPECT_NEAR(x_slopes[i], (along(ahead, victim.targets) - along(behind, victim.targets)) / 2e-5,
                tolerance);
  }
  for (std::size_t i = 0; i < victim.targets.size(); ++i) {
    auto ahead = victim.targets, behind = victim.targets;
    ahead[i] += 1e-5;
    behind[i] -= 1e-5;
    EXPECT_NEAR(y_slopes[i], (along(victim.inputs, ahead) - along(victim.inputs, behind)) / 2e-5, tolerance);
  }
}

TEST(Observation, GradientsAndDifferencesArePredictedAndPulledBack) {
  const Victim victim(2);
  expect_predicts(victim, observe_gradient(victim.parameters, victim.gradient(victim.parameters), 2), 1e-8);
  expect_predicts(victim, difference(victim), 1e-8);
}

TEST(Observation, LocalTrainingIsPredictedAndPulledBack) {
  const Victim victim(5);
  const LocalTraining training{3, 2, 0.5};  // nine steps; the third batch has one record
  EXPECT_EQ(local_steps(training, 5), 9U);
  const auto change = minus(victim.parameters, victim.trained(training));
  expect_predicts(victim, observe_update(victim.parameters, change, 5, training), 1e-7);
}

TEST(Observation, OneLocalStepIsAGradient) {
  const Victim victim(3);
  const LocalTraining training{1, 3, 0.25};
  const auto change = minus(victim.parameters, victim.trained(training));
  const Observation as_gradient = observe_update_as_gradient(victim.parameters, change, 3, training);
  EXPECT_LT(largest_error(as_gradient.values, victim.gradient(victim.parameters)), 1e-14);
}

TEST(Observation, WrongSizesAreRefused) {
  const Victim victim(1);
  const auto g = victim.gradient(victim.parameters);
  const std::vector<double> shorter(g.begin(), g.end() - 1);
  EXPECT_THROW(make_predictor<double>(*victim.model, observe_gradient(shorter, g, 1)), Error);
  EXPECT_THROW(make_predictor<double>(*victim.model, observe_gradient(victim.parameters, shorter, 1)), Error);
  EXPECT_THROW(make_predictor<double>(*victim.model, observe_gradient(victim.parameters, g, 0)), Error);
  auto broken = g;
  broken[3] = std::nan("");
  EXPECT_THROW(make_predictor<double>(*victim.model, observe_gradient(victim.parameters, broken, 1)), Error);
  EXPECT_THROW(make_predictor<float>(*victim.model, observe_update(victim.parameters, g, 1, {.epochs = 2})),
               Error);
}

TEST(Inversion, FindsARecordBehindAGradient) {
  const Victim victim(1);
  const auto g = victim.gradient(victim.parameters);
  const auto found =
      invert(*victim.model, Shape{6}, observe_gradient(victim.parameters, g, 1), known_labels(victim));
  EXPECT_LT(largest_error(found.inputs, victim.inputs), 1e-6);
  EXPECT_LT(found.distance, 1e-12);
  EXPECT_EQ(found.value, found.distance);
  ASSERT_EQ(found.restarts.size(), 4U);
  for (const RestartReport& restart : found.restarts) {
    EXPECT_GE(restart.value, found.value - 1e-25);  // rounding differs between batches
    EXPECT_GT(restart.start_value, restart.value);
    EXPECT_GE(restart.evaluations, restart.iterations);
  }
  EXPECT_GT(largest_error(found.start, victim.inputs), 0.1);
}

TEST(Inversion, FindsBatchesUpToTheirOrder) {
  const Victim victim(2, 3);
  const auto g = victim.gradient(victim.parameters);
  InversionOptions options = known_labels(victim);  // labels fix the order here
  const auto found = invert(*victim.model, Shape{6}, observe_gradient(victim.parameters, g, 2), options);
  EXPECT_LT(largest_error(found.inputs, victim.inputs), 1e-4);
}

TEST(Inversion, FindsTheLabelTogetherWithTheRecord) {
  const Victim victim(1, 4);
  const auto g = victim.gradient(victim.parameters);
  InversionOptions options;
  options.labels = Labels::kOptimised;
  options.restarts = 8;
  const auto found = invert(*victim.model, Shape{6}, observe_gradient(victim.parameters, g, 1), options);
  EXPECT_LT(largest_error(found.inputs, victim.inputs), 1e-3);
  EXPECT_LT(largest_error(found.targets, victim.targets), 1e-2);
}

TEST(Inversion, TraversesLabelsWhereADifferenceHidesThem) {
  const Victim victim(1, 5);
  InversionOptions options;
  options.labels = Labels::kTraversed;
  options.restarts = 3;
  options.targets = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const auto found = invert(*victim.model, Shape{6}, difference(victim), options);
  EXPECT_LT(largest_error(found.inputs, victim.inputs), 1e-5);
  EXPECT_EQ(found.targets, victim.targets);
  EXPECT_EQ(found.restarts.size(), 9U);
  EXPECT_EQ(found.restarts[found.chosen].candidate, 0U);
}

TEST(Inversion, UnrolledTrainingIsInvertedWhereTakingItForAGradientIsNot) {
  const Victim victim(2, 6);
  const LocalTraining training{4, 1, 0.5};
  const auto change = minus(victim.parameters, victim.trained(training));
  const InversionOptions options = known_labels(victim);
  const auto unrolled =
      invert(*victim.model, Shape{6}, observe_update(victim.parameters, change, 2, training), options);
  EXPECT_LT(largest_error(unrolled.inputs, victim.inputs), 1e-3);
  const auto as_gradient = invert(
      *victim.model, Shape{6}, observe_update_as_gradient(victim.parameters, change, 2, training), options);
  EXPECT_GT(largest_error(as_gradient.inputs, victim.inputs), 0.1);
}

TEST(Inversion, CosineFindsTheRecordBehindAClippedGradient) {
  const Victim victim(1, 7);
  auto g = victim.gradient(victim.parameters);
  for (double& x : g) x *= 0.01;  // clipped: only its direction is left
  InversionOptions options = known_labels(victim);
  options.matching.kind = MatchingKind::kCosine;
  const auto found = invert(*victim.model, Shape{6}, observe_gradient(victim.parameters, g, 1), options);
  EXPECT_LT(largest_error(found.inputs, victim.inputs), 1e-3);
  options.matching.kind = MatchingKind::kSquared;
  const auto misled = invert(*victim.model, Shape{6}, observe_gradient(victim.parameters, g, 1), options);
  EXPECT_GT(largest_error(misled.inputs, victim.inputs), 0.1);
}

TEST(Inversion, SinglePrecisionComesClose) {
  const Victim victim(1, 8);
  InversionOptions options = known_labels(victim);
  options.single_precision = true;
  const auto found =
      invert(*victim.model, Shape{6},
             observe_gradient(victim.parameters, victim.gradient(victim.parameters), 1), options);
  EXPECT_LT(largest_error(found.inputs, victim.inputs), 1e-2);
}

TEST(Inversion, ABoxKeepsEveryNumberInside) {
  const Victim victim(1, 9);  // has numbers outside [-0.5, 0.5]
  InversionOptions options = known_labels(victim);
  options.descent = FirstOrderOptions{.iterations = 200};
  options.box = Box{0, -0.5, 0.5};
  options.start = Start::kUniform;
  const auto found =
      invert(*victim.model, Shape{6},
             observe_gradient(victim.parameters, victim.gradient(victim.parameters), 1), options);
  for (const double x : found.inputs) EXPECT_LE(std::abs(x), 0.5);
  for (const double x : found.start) EXPECT_LE(std::abs(x), 0.5);
}

TEST(Inversion, AGivenStartIsWhereItStarts) {
  const Victim victim(1, 10);
  InversionOptions options = known_labels(victim);
  options.start = Start::kGiven;
  options.given = victim.inputs;  // the control of an attack that starts at the answer
  options.restarts = 1;
  const auto found =
      invert(*victim.model, Shape{6},
             observe_gradient(victim.parameters, victim.gradient(victim.parameters), 1), options);
  EXPECT_EQ(found.start, victim.inputs);
  EXPECT_LT(found.restarts[0].start_value, 1e-28);  // what the victim lost by rounding its gradient
}

/// Squares go a shorter way through the engine than any matching with weights.
TEST(Inversion, TheShortcutForSquaresIsWeightsOfOne) {
  for (const MatchingKind kind : {MatchingKind::kSquared, MatchingKind::kGaussian}) {
    for (const std::size_t records : {1, 3}) {
      const Victim victim(records, 14);
      const auto heard = observe_gradient(victim.parameters, victim.gradient(victim.parameters), records);
      InversionOptions options = known_labels(victim);
      options.matching.kind = kind;
      options.matching.scale = 0.3;
      options.descent = FirstOrderOptions{.iterations = 20};
      const auto direct = invert(*victim.model, Shape{6}, heard, options);
      options.matching.weights.assign(victim.parameters.size(), 1.0);
      const auto weighted = invert(*victim.model, Shape{6}, heard, options);
      EXPECT_NEAR(direct.value, weighted.value, 1e-9 * weighted.value);
      EXPECT_LT(largest_error(direct.inputs, weighted.inputs), 1e-9);
    }
  }
}

/// The truth is no argument of the attack: a victim with other records but the same observation gives the
/// same.
TEST(Inversion, DependsOnTheObservationAlone) {
  const Victim victim(1, 11);
  auto unrelated = observe_gradient(victim.parameters, victim.gradient(victim.parameters), 1);
  const InversionOptions options = known_labels(victim);
  const auto one = invert(*victim.model, Shape{6}, unrelated, options);
  Victim changed(1, 11);
  for (double& x : changed.inputs) x += 5;
  const auto two = invert(*changed.model, Shape{6}, unrelated, options);
  EXPECT_EQ(one.inputs, two.inputs);
  EXPECT_EQ(one.value, two.value);
}

TEST(Inversion, RestartsInABatchAreThoseOfSingleRuns) {
  const Victim victim(1, 12);
  const auto observation = observe_gradient(victim.parameters, victim.gradient(victim.parameters), 1);
  InversionOptions options = known_labels(victim);
  options.descent = LbfgsOptions{.iterations = 5};
  const auto batch = invert(*victim.model, Shape{6}, observation, options);
  options.restarts = 1;
  const auto single = invert(*victim.model, Shape{6}, observation, options);
  EXPECT_NEAR(batch.restarts[0].value, single.restarts[0].value, 1e-6 * single.restarts[0].start_value);
  EXPECT_NEAR(batch.restarts[0].start_value, single.restarts[0].start_value,
              1e-12 * single.restarts[0].start_value);
}

/// From one start all restarts are the same search, wherever they stand in the batch.
TEST(Inversion, ManyRestartsFallIntoGroupsWithoutChangingResults) {
  const Victim victim(1, 15);
  InversionOptions options = known_labels(victim);
  options.start = Start::kGiven;
  options.given.assign(victim.inputs.size(), 0.25);
  options.descent = FirstOrderOptions{.iterations = 5};
  const auto gradient = observe_gradient(victim.parameters, victim.gradient(victim.parameters), 1);
  for (const auto& observation : {gradient, difference(victim)}) {
    for (const MatchingKind kind : {MatchingKind::kSquared, MatchingKind::kCosine}) {
      options.matching.kind = kind;
      options.restarts = 1;
      const RestartReport single = invert(*victim.model, Shape{6}, observation, options).restarts[0];
      options.restarts = 37;
      for (const RestartReport& restart : invert(*victim.model, Shape{6}, observation, options).restarts)
        EXPECT_NEAR(restart.value, single.value, 1e-9 * single.start_value);
    }
  }
}

std::size_t evaluations_of(const Inversion& found) {
  std::size_t sum = 0;
  for (const RestartReport& restart : found.restarts) sum += restart.evaluations;
  return sum;
}

/// What racing may cost: searches that are still on their way are compared, so the last few percent of a
/// value are not settled, but no order of magnitude is lost.
TEST(Inversion, ARaceCostsLessAndFindsWhatAllRestartsFind) {
  struct Kind {
    DescentOptions descent;
    std::size_t saving;  // L-BFGS is at the target long before its last iteration, so a race has less to save
  };
  const Kind kinds[] = {{LbfgsOptions{.iterations = 64, .target = 1e-22}, 3},
                        {FirstOrderOptions{.iterations = 160, .rate = 0.05, .target = 1e-22}, 4}};
  for (const auto& [descent, saving] : kinds) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Victim victim(2, seed);
      const auto observation =
          observe_gradient(victim.parameters, victim.gradient(victim.parameters), victim.records);
      InversionOptions options = known_labels(victim);
      options.descent = descent;
      options.restarts = 64;
      const Shape shape{victim.model->input_size()};
      const Inversion all = invert(*victim.model, shape, observation, options);
      options.racing = true;
      const Inversion raced = invert(*victim.model, shape, observation, options);
      EXPECT_LE(raced.value, std::max(1.2 * all.value, 1e-22)) << seed;
      EXPECT_LT(saving * evaluations_of(raced), evaluations_of(all)) << seed;
      EXPECT_FALSE(raced.restarts[raced.chosen].dropped);
      EXPECT_GE(std::ranges::count_if(raced.restarts, &RestartReport::dropped), 56);
    }
  }
}

TEST(Inversion, ARaceOfLabelsKeepsTheTrueOneWhateverTheThreads) {
  const Victim victim(1);
  const std::size_t classes = victim.model->output_size();
  InversionOptions options;
  options.labels = Labels::kTraversed;
  for (std::size_t c = 0; c < classes; ++c)
    for (std::size_t k = 0; k < classes; ++k) options.targets.push_back(k == c ? 1 : 0);
  options.restarts = 8;
  options.racing = true;
  options.descent = LbfgsOptions{.iterations = 160, .target = 1e-20};
  const Shape shape{victim.model->input_size()};
  set_thread_count(1);
  const Inversion found = invert(*victim.model, shape, difference(victim), options);
  EXPECT_EQ(found.targets, victim.targets);
  EXPECT_LT(largest_error(found.inputs, victim.inputs), 1e-5);
  set_thread_count(3);
  const Inversion again = invert(*victim.model, shape, difference(victim), options);
  set_thread_count(0);
  EXPECT_EQ(again.inputs, found.inputs);
  EXPECT_EQ(again.chosen, found.chosen);
  EXPECT_EQ(evaluations_of(again), evaluations_of(found));
}

TEST(Inversion, SenselessRequestsAreRefused) {
  const Victim victim(1);
  const auto observation = observe_gradient(victim.parameters, victim.gradient(victim.parameters), 1);
  const InversionOptions good = known_labels(victim);
  const auto refuses = [&](const auto& change) {
    InversionOptions options = good;
    change(options);
    EXPECT_THROW(invert(*victim.model, Shape{6}, observation, options), Error);
  };
  refuses([](InversionOptions& o) { o.restarts = 0; });
  refuses([](InversionOptions& o) { o.targets.pop_back(); });
  refuses([](InversionOptions& o) { o.box = Box{0, 0, 1}; });  // with L-BFGS
  refuses([](InversionOptions& o) { o.start = Start::kGiven; });
  refuses([](InversionOptions& o) { o.prior.total_variation = 1; });  // not an image
  refuses([](InversionOptions& o) {
    o.descent = FirstOrderOptions{};
    o.box = Box{0, 1, 1};
  });
  EXPECT_THROW(invert(*victim.model, Shape{7}, observation, good), Error);
}

}  // namespace
}  // namespace earshot
