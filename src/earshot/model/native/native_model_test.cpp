#include "earshot/model/native/native_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/model/native/allocation_counter.hpp"
#include "earshot/model/native/network_check.hpp"
#include "earshot/model/native/random_architecture.hpp"

namespace earshot {
namespace {

/// Two graphs: a path of three nodes with a chord, and a pair; symmetric, without self-loops.
const GraphPattern& two_graphs() {
  static const GraphPattern pattern{5, {0, 2, 4, 6, 7, 8}, {1, 2, 0, 2, 0, 1, 4, 3}, {0, 3, 5}};
  return pattern;
}

Architecture perceptron(std::vector<std::size_t> widths, ActivationKind kind, LossKind loss) {
  Architecture a;
  a.name = "mlp";
  a.input = Shape{widths.front(), 1, 1};
  for (std::size_t i = 1; i < widths.size(); ++i) {
    a.layers.push_back(Dense{widths[i]});
    if (i + 1 < widths.size()) a.layers.push_back(Activate{kind});
  }
  a.loss = loss;
  return a;
}

void check_everything(const Architecture& architecture, const SetOptions& options, const std::string& what) {
  const auto model = make_native_model(architecture);
  const ProblemSet set = random_problems(architecture, options);
  check_derivatives(*model, set, what);
  check_one_by_one(*model, set, what);
  check_precisions(*model, set, what);
  check_matching(*model->evaluation(), set, 1e-11, what);
  check_matching(*model->fast_evaluation(), set, 1e-4, what);
}

SetOptions random_options(std::uint64_t seed) {
  SetOptions options;
  options.seed = seed;
  options.count = 1 + seed % 4;
  options.rows = 1 + seed % 5;
  options.shared = seed % 3 == 0;
  options.weights = seed % 5 == 0;
  if (seed % 2 == 0) options.dropout = seed;
  return options;
}

TEST(NativeModel, DerivativesOfRandomVectorNetworks) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    check_everything(RandomArchitecture(seed).vector_network(), random_options(seed),
                     "vector " + std::to_string(seed));
  }
}

TEST(NativeModel, DerivativesOfRandomImageNetworks) {
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    SetOptions options = random_options(seed);
    options.rows = 2 + seed % 3;  // batch statistics of one row at a pixel are degenerate
    options.spread = 0.4;
    check_everything(RandomArchitecture(seed).image_network(seed % 2 == 0), options,
                     "image " + std::to_string(seed));
  }
}

TEST(NativeModel, DerivativesOfRandomGraphNetworks) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    SetOptions options = random_options(seed);
    options.rows = two_graphs().nodes;
    options.graph = &two_graphs();
    // The nodes of a complete graph without weights have equal averages: ties, where a maximum has a kink.
    options.soft_adjacency = seed % 2 == 0 || seed % 3 == 0;
    check_everything(RandomArchitecture(seed).graph_network(seed % 2 == 0), options,
                     "graph " + std::to_string(seed));
  }
}

TEST(NativeModel, DerivativesForEveryActivationAndLoss) {
  for (int loss = 0; loss < 3; ++loss) {
    for (int kind = 0; kind < 7; ++kind) {
      SetOptions options = random_options(static_cast<std::uint64_t>(kind));
      check_everything(
          perceptron({5, 9, 4, 3}, static_cast<ActivationKind>(kind), static_cast<LossKind>(loss)), options,
          "activation " + std::to_string(kind) + " loss " + std::to_string(loss));
    }
  }
}

/// Every problem with its first row only.
ProblemSet one_row_each(const ProblemSet& set) {
  ProblemSet out = set;
  out.rows = out.target_rows = 1;
  const auto first_rows = [&](const std::vector<double>& all) {
    const std::size_t width = all.size() / (set.count * set.rows);
    std::vector<double> kept;
    for (std::size_t k = 0; k < set.count; ++k) {
      const auto row = all.begin() + static_cast<std::ptrdiff_t>(k * set.rows * width);
      kept.insert(kept.end(), row, row + static_cast<std::ptrdiff_t>(width));
    }
    return kept;
  };
  out.inputs = first_rows(set.inputs);
  out.targets = first_rows(set.targets);
  return out;
}

// Beyond 32 rows a dense layer writes its direction down instead of products of rows.
TEST(NativeModel, ProblemsOfManyRowsAreMatchedToo) {
  const Architecture net = perceptron({9, 8, 3}, ActivationKind::kTanh, LossKind::kSoftmaxCrossEntropy);
  for (const std::size_t rows : {32, 33, 70}) {
    SetOptions options;
    options.count = 5;
    options.rows = rows;
    options.shared = true;
    const auto model = make_native_model(net);
    check_matching(*model->evaluation(), random_problems(net, options), 1e-11, "many rows");
  }
}

TEST(NativeModel, ManyProblemsFallIntoGroupsWithoutChangingResults) {
  const Architecture wide =
      perceptron({50, 90, 70, 4}, ActivationKind::kTanh, LossKind::kSoftmaxCrossEntropy);
  for (const bool shared : {false, true}) {
    SetOptions options;
    options.count = 23;  // several groups and a smaller last one
    options.rows = 7;
    options.shared = shared;
    options.spread = 0.2;
    const auto model = make_native_model(wide);
    const ProblemSet set = random_problems(wide, options);
    check_one_by_one(*model, set, "groups");
    check_precisions(*model, set, "groups");
    check_matching(*model->evaluation(), set, 1e-11, "groups");
    check_matching(*model->evaluation(), one_row_each(set), 1e-11, "groups of one-row problems");
    const SetResult once = evaluate(*model->fast_evaluation(), set);
    const SetResult again = evaluate(*model->fast_evaluation(), set);
    EXPECT_EQ(once.gradients, again.gradients);
    EXPECT_EQ(once.inputs, again.inputs);
  }
}

TEST(NativeModel, NothingIsAllocatedAfterTheFirstCall) {
  Architecture a = perceptron({6, 5, 4}, ActivationKind::kSigmoid, LossKind::kSoftmaxCrossEntropy);
  a.layers.insert(
      a.layers.begin() + 1,
      Parallel{Join::kConcatenate, {{Dense{3}, Dropout{0.5}}, {}, {Activate{ActivationKind::kGelu}}}});
  SetOptions options;
  options.count = 9;
  options.dropout = 3;
  const auto model = make_native_model(a);
  const ProblemSet set = random_problems(a, options);
  const HeldSet<float> held(set);
  std::vector<float> losses(9), gradients(set.directions.size()), inputs(set.inputs.size()),
      targets(set.targets.size()), outputs(set.targets.size());
  const auto evaluation = model->fast_evaluation();
  const auto step = [&] {
    evaluation->gradients(held.problems, losses, gradients);
    evaluation->pullbacks(held.directions, {inputs, targets, {}});
    evaluation->clipped_sums(held.problems, 0.1, {}, gradients);
    evaluation->outputs(held.problems, outputs);
  };
  step();
  const std::size_t before = allocations();
  step();
  EXPECT_EQ(allocations(), before);
}

TEST(NativeModel, PullbackNeedsTheLastGradient) {
  const Architecture a = perceptron({3, 2}, ActivationKind::kTanh, LossKind::kMeanSquared);
  const auto model = make_native_model(a);
  const ProblemSet set = random_problems(a, {});
  const HeldSet<double> held(set);
  const auto evaluation = model->evaluation();
  std::vector<double> losses(1), gradient(8), outputs(6);
  EXPECT_THROW(evaluation->pullbacks(gradient, {}), Error);
  evaluation->gradients(held.problems, losses, gradient);
  EXPECT_NO_THROW(evaluation->pullbacks(gradient, {}));
  EXPECT_NO_THROW(evaluation->pullbacks(gradient, {}));
  evaluation->outputs(held.problems, outputs);
  EXPECT_THROW(evaluation->pullbacks(gradient, {}), Error);
}

TEST(NativeModel, WrongSizesAreRefused) {
  const Architecture a = perceptron({3, 2}, ActivationKind::kTanh, LossKind::kMeanSquared);
  const auto model = make_native_model(a);
  const ProblemSet set = random_problems(a, {});
  const HeldSet<double> held(set);
  const auto evaluation = model->evaluation();
  std::vector<double> losses(1), gradient(8), longer(9);
  const auto refuses = [&](auto spoil) {
    Problems<double> problems = held.problems;
    spoil(problems);
    EXPECT_THROW(evaluation->gradients(problems, losses, gradient), Error);
  };
  refuses([](auto& p) { p.parameters = p.parameters.first(7); });
  refuses([](auto& p) { p.inputs = p.inputs.first(8); });
  refuses([](auto& p) { p.targets = p.targets.first(5); });
  refuses([](auto& p) { p.row_weights = p.inputs.first(2); });
  refuses([](auto& p) { p.graph = &two_graphs(); });
  EXPECT_THROW(evaluation->gradients(held.problems, {}, gradient), Error);
  EXPECT_THROW(evaluation->gradients(held.problems, losses, longer), Error);
  EXPECT_THROW(make_native_model(a)->gradient(longer, {}, longer), Error);
}

TEST(NativeModel, AGraphNetworkRefusesABatchWithoutItsGraph) {
  Architecture a;
  a.input = Shape{2, 1, 1};
  a.layers = {GraphConvolve{2}};
  const auto model = make_native_model(a);
  std::vector<double> numbers(model->parameter_count());
  EXPECT_THROW(
      model->gradient(numbers, {1, std::span(numbers).first(2), std::span(numbers).first(2)}, numbers),
      Error);
}

// --- Rows and weights

TEST(NativeModel, WeightsAreAWeightedMeanOrSum) {
  Architecture a = perceptron({4, 3, 2}, ActivationKind::kTanh, LossKind::kSoftmaxCrossEntropy);
  for (const Reduction reduction : {Reduction::kMean, Reduction::kSum}) {
    a.reduction = reduction;
    const auto model = make_native_model(a);
    SetOptions options;
    options.rows = 4;
    options.weights = true;
    const ProblemSet set = random_problems(a, options);
    const SetResult weighted = evaluate(*model->evaluation(), set);
    double total = 0;
    double loss = 0;
    std::vector<double> gradient(set.directions.size(), 0.0);
    for (std::size_t i = 0; i < 4; ++i) {
      ProblemSet one = set;
      one.rows = one.target_rows = 1;
      one.row_weights.clear();
      one.inputs = {set.inputs.begin() + static_cast<long>(4 * i),
                    set.inputs.begin() + static_cast<long>(4 * i + 4)};
      one.targets = {set.targets.begin() + static_cast<long>(2 * i),
                     set.targets.begin() + static_cast<long>(2 * i + 2)};
      const SetResult alone = evaluate(*model->evaluation(), one);
      total += set.row_weights[i];
      loss += set.row_weights[i] * alone.losses[0];
      for (std::size_t j = 0; j < gradient.size(); ++j)
        gradient[j] += set.row_weights[i] * alone.gradients[j];
    }
    const double scale = reduction == Reduction::kMean ? total : 1;
    EXPECT_NEAR(weighted.losses[0], loss / scale, 1e-12);
    for (double& g : gradient) g /= scale;
    expect_close(weighted.gradients, gradient, 1e-12, "weighted");
  }
}

TEST(NativeModel, EmptyBatchHasZeroGradient) {
  Architecture a = perceptron({2, 3, 2}, ActivationKind::kRelu, LossKind::kSoftmaxCrossEntropy);
  const auto model = make_native_model(a);
  const std::vector<double> parameters(model->parameter_count(), 0.5);
  std::vector<double> g(parameters.size(), 9.0);
  EXPECT_EQ(model->gradient(parameters, {}, g), 0);
  EXPECT_THAT(g, ::testing::Each(0.0));
  EXPECT_NO_THROW(model->pullback(parameters, {}, g, {}));
}

TEST(NativeModel, LargeLogitsStayFinite) {
  for (const LossKind loss : {LossKind::kSoftmaxCrossEntropy, LossKind::kBinaryCrossEntropy}) {
    const auto model = make_native_model(perceptron({1, 2}, ActivationKind::kRelu, loss));
    const std::vector<double> parameters = {1e4, -1e4, 0, 0}, input = {1}, target = {0, 1};
    std::vector<double> g(4);
    const double half = loss == LossKind::kBinaryCrossEntropy ? 2 : 1;  // the mean over two outputs
    EXPECT_DOUBLE_EQ(model->gradient(parameters, {1, input, target}, g), 2e4 / half);
    EXPECT_DOUBLE_EQ(g[0], 1 / half);
    EXPECT_DOUBLE_EQ(g[1], -1 / half);
  }
}

// --- Closed forms: softmax regression, z = M x + b. With u = R x + rho, s = sum q, p = softmax(z): gradient
// (s p - q) x^T, pullback to x: R^T (s p - q) + M^T [s p o (u - <p, u>)], to q: <p, u> - u.

TEST(NativeModel, SoftmaxRegressionEqualsItsClosedForm) {
  const std::size_t inputs = 7, classes = 4;
  const Architecture a = perceptron({inputs, classes}, ActivationKind::kRelu, LossKind::kSoftmaxCrossEntropy);
  const auto model = make_native_model(a);
  SetOptions options;
  options.rows = 1;
  const ProblemSet set = random_problems(a, options);
  const SetResult result = evaluate(*model->evaluation(), set);
  std::vector<double> z(classes), u(classes), p(classes), delta(classes);
  const auto apply = [&](const std::vector<double>& theta, std::vector<double>& to) {
    for (std::size_t k = 0; k < classes; ++k) {
      to[k] = theta[classes * inputs + k];
      for (std::size_t j = 0; j < inputs; ++j) to[k] += theta[k * inputs + j] * set.inputs[j];
    }
  };
  apply(set.parameters, z);
  apply(set.directions, u);
  double sum = 0, mass = 0, fit = 0, mean_u = 0;
  for (std::size_t k = 0; k < classes; ++k) sum += std::exp(z[k]);
  for (std::size_t k = 0; k < classes; ++k) {
    p[k] = std::exp(z[k]) / sum;
    mass += set.targets[k];
    fit += set.targets[k] * z[k];
    mean_u += p[k] * u[k];
  }
  EXPECT_NEAR(result.losses[0], mass * std::log(sum) - fit, 1e-12);
  for (std::size_t k = 0; k < classes; ++k) {
    delta[k] = mass * p[k] - set.targets[k];
    EXPECT_NEAR(result.gradients[classes * inputs + k], delta[k], 1e-12);
    EXPECT_NEAR(result.targets[k], mean_u - u[k], 1e-12);
  }
  for (std::size_t j = 0; j < inputs; ++j) {
    double dx = 0;
    for (std::size_t k = 0; k < classes; ++k) {
      EXPECT_NEAR(result.gradients[k * inputs + j], delta[k] * set.inputs[j], 1e-12);
      dx += set.directions[k * inputs + j] * delta[k] +
            set.parameters[k * inputs + j] * mass * p[k] * (u[k] - mean_u);
    }
    EXPECT_NEAR(result.inputs[j], dx, 1e-12);
  }
}

// --- Models

TEST(NativeModel, PredictionsFollowTheLoss) {
  const std::vector<double> parameters = {0, 0, 1, -2}, input = {5};
  std::vector<double> out(2);
  make_native_model(perceptron({1, 2}, ActivationKind::kRelu, LossKind::kSoftmaxCrossEntropy))
      ->predict(parameters, 1, input, out);
  EXPECT_NEAR(out[0], 1 / (1 + std::exp(-3.0)), 1e-15);
  EXPECT_NEAR(out[0] + out[1], 1, 1e-15);
  make_native_model(perceptron({1, 2}, ActivationKind::kRelu, LossKind::kBinaryCrossEntropy))
      ->predict(parameters, 1, input, out);
  EXPECT_NEAR(out[1], 1 / (1 + std::exp(2.0)), 1e-15);
  make_native_model(perceptron({1, 2}, ActivationKind::kRelu, LossKind::kMeanSquared))
      ->predict(parameters, 1, input, out);
  EXPECT_THAT(out, ::testing::ElementsAre(1, -2));
}

TEST(NativeModel, ConveniencesEqualAnEvaluation) {
  const Architecture a = perceptron({3, 4, 2}, ActivationKind::kTanh, LossKind::kSoftmaxCrossEntropy);
  const auto model = make_native_model(a);
  const ProblemSet set = random_problems(a, {});
  const SetResult expected = evaluate(*model->evaluation(), set);
  std::vector<double> g(set.directions.size()), dx(set.inputs.size()), dq(set.targets.size());
  EXPECT_EQ(model->gradient(set.parameters, {set.rows, set.inputs, set.targets}, g), expected.losses[0]);
  model->pullback(set.parameters, {set.rows, set.inputs, set.targets}, set.directions, {dx, dq});
  EXPECT_EQ(g, expected.gradients);
  EXPECT_EQ(dx, expected.inputs);
  EXPECT_EQ(dq, expected.targets);
}

TEST(NativeModel, ObservingMovesRunningStatisticsToThoseOfTheBatch) {
  Architecture a;
  a.input = Shape{1, 1, 1};
  a.layers = {BatchNorm{}, Dense{1}};
  a.loss = LossKind::kMeanSquared;
  const auto model = make_native_model(a);
  const std::vector<double> parameters(model->parameter_count(), 1.0), inputs = {1, 2, 6};
  Problems<double> problems;
  problems.rows = 3;
  problems.parameters = parameters;
  problems.inputs = inputs;
  model->observe(problems, 0.25);
  ASSERT_EQ(model->buffers().size(), 2U);
  EXPECT_NEAR(model->buffers()[0], 0.25 * 3, 1e-12);
  EXPECT_NEAR(model->buffers()[1], 0.75 + 0.25 * 7, 1e-12);  // unbiased variance (4 + 1 + 9) / 2
  model->set_buffers(std::vector<double>{2, 4});
  std::vector<double> out(3);
  model->predict(parameters, 3, inputs, out);
  EXPECT_NEAR(out[2], (6 - 2) / std::sqrt(4 + 1e-5) + 1 + 1, 1e-12);
}

TEST(NativeModel, DescribesItself) {
  const auto document = make_native_model(perceptron({105, 100, 100, 2}, ActivationKind::kSigmoid,
                                                     LossKind::kSoftmaxCrossEntropy))
                            ->describe();
  EXPECT_EQ(document["engine"], "native");
  EXPECT_EQ(document["parameters"], 105 * 100 + 100 + 100 * 100 + 100 + 200 + 2);
  EXPECT_EQ(document["layers"].size(), 5U);
  EXPECT_EQ(document["layers"][0]["name"], "0.dense");
}

TEST(GraphPattern, CompleteHasEveryOrderedPair) {
  const GraphPattern pattern = complete_pattern(3);
  EXPECT_THAT(pattern.columns, ::testing::ElementsAre(1, 2, 0, 2, 0, 1));
  EXPECT_THAT(pattern.row_starts, ::testing::ElementsAre(0, 2, 4, 6));
  EXPECT_EQ(pattern.graphs(), 1U);
}

}  // namespace
}  // namespace earshot
