// The torch engine on its own: finite differences, clipping against one row at a time, rules for odd
// problems.
#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/model/native/graph_test_patterns.hpp"
#include "earshot/model/native/random_architecture.hpp"
#include "earshot/model/torch/test_engine.hpp"

namespace earshot {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

TEST(TorchEvaluation, DerivativesAreThoseOfTheLoss) {
  const GraphPattern pattern = pattern_of(random_graph(5, 0.5, true, 3), {0, 2, 5});
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const auto check = [&](const Architecture& net, SetOptions options) {
      options.weights = seed % 2 == 0;
      options.seed = seed;
      if (seed % 3 == 0) options.dropout = seed;
      check_derivatives(*built_engine().make(net), random_problems(net, options),
                        net.name + std::to_string(seed));
    };
    check(RandomArchitecture(seed).vector_network(), {.count = 2});
    check(RandomArchitecture(seed).image_network(true), {.count = 2, .shared = true});
    check(RandomArchitecture(seed).graph_network(seed % 2 == 0),
          {.rows = 5, .graph = &pattern, .soft_adjacency = true});
  }
}

/// Row by row through `gradients` with weight on that row only.
std::vector<std::vector<double>> row_gradients(const Model& model, ProblemSet set) {
  std::vector<std::vector<double>> gradients;
  for (std::size_t row = 0; row < set.target_rows; ++row) {
    set.row_weights.assign(set.target_rows, 0);
    set.row_weights[row] = 1;
    gradients.push_back(evaluate(*model.evaluation(), set).gradients);
  }
  return gradients;
}

std::vector<double> sum_of_clipped(const std::vector<std::vector<double>>& rows, double bound) {
  std::vector<double> sum(rows.front().size(), 0.0);
  for (const std::vector<double>& row : rows) {
    const double factor = std::min(1.0, bound / norm(row));
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += factor * row[i];
  }
  return sum;
}

void check_clipping(const Architecture& net, const SetOptions& options, const std::string& what) {
  const auto model = built_engine().make(net);
  const ProblemSet set = random_problems(net, options);
  const auto rows = row_gradients(*model, set);
  for (const double share : {0.5, 1.0, 1.5}) {
    const double bound = share * norm(rows.front());
    const ClippedSet result = clipped<double>(*model, set, bound);
    std::size_t above = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_NEAR(result.norms[i], norm(rows[i]), 1e-10 * (1 + norm(rows[i]))) << what;
      above += norm(rows[i]) > bound * (1 + 1e-12);
    }
    expect_close(result.sums, sum_of_clipped(rows, bound), 1e-10, what);
    EXPECT_GE(result.report.clipped, above) << what;
    EXPECT_LE(result.report.clipped, above + 1) << what;  // the row that gave the bound lies on it
    EXPECT_EQ(result.report.non_finite, 0U) << what;
  }
}

TEST(TorchClipping, EqualsOneRowAtATime) {
  const GraphPattern pattern = pattern_of(random_graph(5, 0.5, true, 3), {0, 2, 5});
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SetOptions options{.rows = 4, .seed = seed};
    if (seed % 2 == 0) options.dropout = seed;
    check_clipping(RandomArchitecture(seed).vector_network(), options, "vector");
    check_clipping(RandomArchitecture(seed).image_network(false), options, "image");
    options = {.rows = 5, .graph = &pattern, .seed = seed};
    check_clipping(RandomArchitecture(seed).graph_network(seed % 2 == 0), options, "graph");
  }
}

/// Few positions and many channels, so that norms come from the inner products instead of the gradients.
TEST(TorchClipping, ConvolutionsOverFewPositions) {
  check_clipping({"ghost", {4, 3, 3}, {Convolve{6, 2, 2}, Activate{ActivationKind::kTanh}, Dense{2}}},
                 {.rows = 3}, "ghost");
}

TEST(TorchClipping, NeverLongerThanTheBound) {
  const Architecture net{"net", {5}, {Dense{7}, Activate{ActivationKind::kTanh}, Dense{3}}};
  const auto model = built_engine().make(net);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const ProblemSet set = random_problems(net, {.rows = 1, .seed = seed});
    const double own = clipped<double>(*model, set, 1).norms.front();
    for (const double bound : {0.1 * own, 0.999999 * own, own, 1.0000001 * own}) {
      EXPECT_LE(norm(clipped<double>(*model, set, bound).sums), bound);
      EXPECT_LE(norm(clipped<float>(*model, set, bound).sums), bound);
    }
  }
}

TEST(TorchClipping, LeavesOutWhatIsNotFinite) {
  const Architecture net{"net", {2, 4, 4}, {Convolve{3, 2, 2}, BatchNorm{true}, Dense{3}}};
  const auto model = built_engine().make(net);
  const ProblemSet clean = random_problems(net, {.rows = 4});
  for (const double odd : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    ProblemSet set = clean;
    set.inputs[33] = odd;  // of the second row
    const ClippedSet result = clipped<double>(*model, set, 0.5);
    EXPECT_EQ(result.report.non_finite, 1U);
    EXPECT_FALSE(std::isfinite(result.norms[1]));
    ProblemSet without = clean;
    without.row_weights = {1, 0, 1, 1};
    const ClippedSet expected = clipped<double>(*model, without, 0.5);
    expect_close(result.sums, expected.sums, 1e-12, "without the row");
    EXPECT_EQ(expected.norms[1], 0);
  }
}

/// Its square is not a double, the gradient is: it is clipped, not left out.
TEST(TorchClipping, TakesHugeGradientsForWhatTheyAre) {
  const Architecture net{"net", {2}, {Dense{1}}, LossKind::kMeanSquared};
  const auto model = built_engine().make(net);
  ProblemSet set = random_problems(net, {.rows = 1});
  set.inputs = {1e100, 0};
  set.parameters = {1, 0, 0};
  set.targets = {0};
  const ClippedSet result = clipped<double>(*model, set, 2);
  EXPECT_EQ(result.report.clipped, 1U);
  EXPECT_EQ(result.report.non_finite, 0U);
  EXPECT_NEAR(norm(result.sums), 2, 1e-12);
}

TEST(TorchClipping, NoRowsAndZeroGradientsGiveZero) {
  const Architecture net{"net", {2}, {Dense{2}}, LossKind::kMeanSquared};
  const auto model = built_engine().make(net);
  ProblemSet set = random_problems(net, {.count = 2, .rows = 0});
  EXPECT_THAT(clipped<double>(*model, set, 1).sums, Each(0.0));
  set = random_problems(net, {.rows = 2});
  set.inputs.assign(4, 0);
  set.parameters.assign(6, 0);
  set.targets.assign(4, 0);
  const ClippedSet zero = clipped<double>(*model, set, 1);
  EXPECT_THAT(zero.sums, Each(0.0));
  EXPECT_EQ(zero.report.clipped + zero.report.non_finite, 0U);
}

TEST(TorchClipping, RefusesBatchStatisticsAndBadBounds) {
  const auto clip = [](const Architecture& net, double bound) {
    const ProblemSet set = random_problems(net, {});
    try {
      clipped<double>(*built_engine().make(net), set, bound);
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::kConfig);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(clip({"net", {2}, {BatchNorm{}, Dense{2}}}, 1), HasSubstr("freeze"));
  for (const double bound : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_THAT(clip({"net", {2}, {Dense{2}}}, bound), HasSubstr("positive"));
}

TEST(TorchEvaluation, RowsWithoutWeightAndEmptyBatches) {
  const Architecture net{"net", {2}, {Dense{2}}};
  const auto model = built_engine().make(net);
  ProblemSet set = random_problems(net, {.count = 2, .rows = 0});
  EXPECT_THAT(evaluate(*model->evaluation(), set).gradients, Each(0.0));
  set = random_problems(net, {.rows = 2});
  set.row_weights = {0, 0};
  const SetResult result = evaluate(*model->evaluation(), set);
  EXPECT_THAT(result.gradients, Each(0.0));
  EXPECT_THAT(result.inputs, Each(0.0));
}

/// The first pullback redoes the gradients with a graph; later ones do not. All answers are the same.
TEST(TorchEvaluation, GivesTheSameWhetherOrNotGraphsAreKept) {
  const Architecture net = RandomArchitecture(3).vector_network();
  const ProblemSet set = random_problems(net, {.count = 2});
  const auto model = built_engine().make(net);
  const auto evaluation = model->evaluation();
  const SetResult first = evaluate(*evaluation, set);
  const SetResult second = evaluate(*evaluation, set);
  EXPECT_EQ(first.gradients, second.gradients);
  EXPECT_EQ(first.inputs, second.inputs);
  EXPECT_EQ(first.targets, second.targets);
}

TEST(TorchEvaluation, ThreadsDoNotChangeTheResult) {
  const Architecture net = RandomArchitecture(2).image_network(false);
  const ProblemSet set = random_problems(net, {.count = 2, .rows = 8});
  const auto model = built_engine().make(net);
  const SetResult expected = evaluate(*model->fast_evaluation(), set);
  std::vector<SetResult> results(4);
  std::vector<std::jthread> threads;
  for (SetResult& result : results)
    threads.emplace_back([&] { result = evaluate(*model->fast_evaluation(), set); });
  threads.clear();
  for (const SetResult& result : results) {
    EXPECT_EQ(result.gradients, expected.gradients);
    EXPECT_EQ(result.inputs, expected.inputs);
  }
}

TEST(TorchEvaluation, RefusesGraphsTooLargeForDenseMatrices) {
  const Architecture net{"net", {1}, {GraphConvolve{2}}};
  GraphPattern pattern{9000, std::vector<std::size_t>(9001), {}, {0, 9000}};
  ProblemSet set = random_problems(net, {.rows = 9000, .graph = &pattern});
  EXPECT_THROW(evaluate(*built_engine().make(net)->evaluation(), set), Error);
}

}  // namespace
}  // namespace earshot
