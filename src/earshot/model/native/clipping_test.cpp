#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/model/native/network_check.hpp"
#include "earshot/model/native/random_architecture.hpp"

namespace earshot {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class Real>
struct Clipped {
  ClippingReport report;
  std::vector<double> sums, norms;
};

template <class Real>
Clipped<Real> clip(Evaluation<Real>& evaluation, const ProblemSet& set, double bound) {
  const HeldSet<Real> held(set);
  std::vector<Real> sums(set.directions.size(), Real(7)), norms(set.count * set.target_rows, Real(7));
  const ClippingReport report = evaluation.clipped_sums(held.problems, bound, norms, sums);
  return {report, {sums.begin(), sums.end()}, {norms.begin(), norms.end()}};
}

/// One target row at a time, by the gradient of a batch in which only that row has weight.
Clipped<double> reference(const Model& model, const ProblemSet& set, double bound) {
  Clipped<double> out;
  const std::size_t parameters = model.parameter_count();
  out.sums.assign(set.directions.size(), 0.0);
  const auto evaluation = model.evaluation();
  for (std::size_t k = 0; k < set.count; ++k) {
    for (std::size_t i = 0; i < set.target_rows; ++i) {
      ProblemSet one = only(set, k);
      one.row_weights.assign(set.target_rows, 0.0);
      one.row_weights[i] = 1;
      const bool left_out = !set.row_weights.empty() && set.row_weights[i] == 0;
      const std::vector<double> g = evaluate(*evaluation, one).gradients;
      const double length = left_out ? 0 : norm(g);
      out.norms.push_back(length);
      if (left_out) continue;
      if (length > bound) ++out.report.clipped;
      const double factor = length > bound ? bound / length : 1;
      for (std::size_t j = 0; j < parameters; ++j) out.sums[k * parameters + j] += factor * g[j];
    }
  }
  return out;
}

double middle(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers[numbers.size() / 2] + 1e-3;
}

void check_clipping(const Architecture& architecture, const SetOptions& options, const std::string& what) {
  const auto model = make_native_model(architecture);
  const ProblemSet set = random_problems(architecture, options);
  const double bound = middle(reference(*model, set, 1).norms);  // some rows are longer, some are not
  const Clipped<double> expected = reference(*model, set, bound);
  const Clipped<double> exact = clip(*model->evaluation(), set, bound);
  expect_close(exact.sums, expected.sums, 1e-11, what + ": sums");
  expect_close(exact.norms, expected.norms, 1e-11, what + ": norms");
  EXPECT_EQ(exact.report.clipped, expected.report.clipped) << what;
  EXPECT_EQ(exact.report.non_finite, 0U) << what;
  const Clipped<float> fast = clip(*model->fast_evaluation(), set, bound);
  expect_close(fast.sums, expected.sums, 1e-4, what + ": sums in single precision");
  expect_close(fast.norms, expected.norms, 1e-4, what + ": norms in single precision");
}

SetOptions random_options(std::uint64_t seed) {
  SetOptions options;
  options.seed = seed;
  options.count = 1 + seed % 3;
  options.rows = 2 + seed % 4;
  options.shared = seed % 2 == 0;
  options.weights = seed % 3 == 0;
  if (seed % 2 == 1) options.dropout = seed;
  return options;
}

TEST(Clipping, EqualsOneRowAtATimeForRandomVectorNetworks) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    check_clipping(RandomArchitecture(seed).vector_network(), random_options(seed),
                   "vector " + std::to_string(seed));
  }
}

TEST(Clipping, EqualsOneRowAtATimeForRandomImageNetworks) {
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    check_clipping(RandomArchitecture(seed).image_network(false), random_options(seed),
                   "image " + std::to_string(seed));
  }
}

TEST(Clipping, EqualsOneNodeOrGraphAtATimeForRandomGraphNetworks) {
  const GraphPattern pattern{5, {0, 2, 4, 6, 7, 8}, {1, 2, 0, 2, 0, 1, 4, 3}, {0, 3, 5}};
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    SetOptions options = random_options(seed);
    options.rows = pattern.nodes;
    options.graph = &pattern;
    options.soft_adjacency = seed % 2 == 0 || seed % 3 == 0;  // no ties under a maximum
    check_clipping(RandomArchitecture(seed).graph_network(seed % 2 == 0), options,
                   "graph " + std::to_string(seed));
  }
}

Architecture small_network() {
  Architecture a;
  a.input = Shape{3, 1, 1};
  a.layers = {Dense{4}, Activate{ActivationKind::kTanh}, Dense{2}};
  return a;
}

/// The rule for one record in 2,000 random ones, at bounds just below its norm.
template <class Real>
void check_never_longer(Evaluation<Real>& evaluation) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    SetOptions options;
    options.seed = seed;
    options.rows = 1;
    const ProblemSet set = random_problems(small_network(), options);
    const double length = clip(evaluation, set, 1e9).norms[0];
    for (const double share : {1.0, 0.999999, 0.7, 1e-3}) {
      ASSERT_LE(norm(clip(evaluation, set, share * length).sums), share * length);
    }
  }
}

TEST(Clipping, NeverLongerThanTheBoundRoundingIncluded) {
  const auto model = make_native_model(small_network());
  check_never_longer(*model->evaluation());
  check_never_longer(*model->fast_evaluation());
}

TEST(Clipping, ReductionDoesNotMatter) {
  Architecture a = small_network();
  const ProblemSet set = random_problems(a, {});
  const auto mean = clip(*make_native_model(a)->evaluation(), set, 0.1);
  a.reduction = Reduction::kSum;
  EXPECT_EQ(clip(*make_native_model(a)->evaluation(), set, 0.1).sums, mean.sums);
}

TEST(Clipping, AnEmptyBatchSumsToZero) {
  const Architecture a = small_network();
  SetOptions options;
  options.rows = 0;
  options.count = 2;
  const auto out = clip(*make_native_model(a)->evaluation(), random_problems(a, options), 1);
  EXPECT_THAT(out.sums, ::testing::Each(0.0));
  EXPECT_EQ(out.report.clipped + out.report.non_finite, 0U);
}

TEST(Clipping, AZeroGradientStaysZero) {
  Architecture a = small_network();
  a.loss = LossKind::kMeanSquared;
  const auto model = make_native_model(a);
  ProblemSet set = random_problems(a, {});
  model->predict(set.parameters, set.rows, set.inputs, set.targets);  // targets are met exactly
  const auto out = clip(*model->evaluation(), set, 1e-3);
  EXPECT_THAT(out.sums, ::testing::Each(0.0));
  EXPECT_EQ(out.report.clipped, 0U);
}

/// Rows that are not finite are counted and change nothing, wherever the bad number is.
TEST(Clipping, RowsThatAreNotFiniteContributeNothing) {
  const Architecture a = small_network();
  const auto model = make_native_model(a);
  SetOptions options;
  options.rows = 4;
  options.count = 2;
  const ProblemSet good = random_problems(a, options);
  ProblemSet without = good;
  without.row_weights = {1, 0, 1, 1};
  const auto expected = clip(*model->evaluation(), without, 0.5);
  for (const double bad : {std::nan(""), kInfinity, -kInfinity}) {
    ProblemSet inputs = good;
    inputs.inputs[3 * 1 + 2] = inputs.inputs[3 * 5] = bad;  // row 1 of both problems
    ProblemSet targets = good;
    targets.targets[2 * 1] = targets.targets[2 * 5 + 1] = bad;
    for (const ProblemSet& set : {inputs, targets}) {
      const auto out = clip(*model->evaluation(), set, 0.5);
      EXPECT_EQ(out.report.non_finite, 2U);
      expect_close(out.sums, expected.sums, 1e-12, "sums");
      EXPECT_FALSE(std::isfinite(out.norms[1]));
      EXPECT_TRUE(std::isfinite(out.norms[2]));
    }
    inputs.row_weights = without.row_weights;  // left out: neither counted nor harmful
    const auto left_out = clip(*model->evaluation(), inputs, 0.5);
    EXPECT_EQ(left_out.report.non_finite, 0U);
    expect_close(left_out.sums, expected.sums, 1e-12, "left out");
  }
}

TEST(Clipping, ParametersThatAreNotFiniteGiveZero) {
  const Architecture a = small_network();
  ProblemSet set = random_problems(a, {});
  set.parameters[0] = std::nan("");
  const auto out = clip(*make_native_model(a)->evaluation(), set, 1);
  EXPECT_EQ(out.report.non_finite, set.rows);
  EXPECT_THAT(out.sums, ::testing::Each(0.0));
}

TEST(Clipping, AGraphsBrokenNodesContributeNothing) {
  Architecture a;
  a.input = Shape{2, 1, 1};
  a.layers = {GraphConvolve{2}};
  const GraphPattern two_pairs{4, {0, 1, 2, 3, 4}, {1, 0, 3, 2}, {0, 2, 4}};
  SetOptions options;
  options.rows = 4;
  options.graph = &two_pairs;
  const auto model = make_native_model(a);
  ProblemSet set = random_problems(a, options);
  ProblemSet first_pair = set;
  first_pair.row_weights = {1, 1, 0, 0};
  const auto expected = clip(*model->evaluation(), first_pair, 0.3);
  set.targets[2 * 2] = std::nan("");
  set.targets[2 * 3] = kInfinity;
  const auto out = clip(*model->evaluation(), set, 0.3);
  EXPECT_EQ(out.report.non_finite, 2U);
  expect_close(out.sums, expected.sums, 1e-12, "sums");
}

TEST(Clipping, BatchStatisticsAndSenselessBoundsAreRefused) {
  Architecture a = small_network();
  const auto plain = make_native_model(a);
  const ProblemSet plain_set = random_problems(a, {});
  for (const double bound : {0.0, -1.0, std::nan(""), kInfinity}) {
    EXPECT_THROW(clip(*plain->evaluation(), plain_set, bound), Error);
  }
  a.layers.insert(a.layers.begin() + 1, BatchNorm{});
  const auto model = make_native_model(a);
  const ProblemSet set = random_problems(a, {});
  EXPECT_THROW(clip(*model->evaluation(), set, 1), Error);
}

}  // namespace
}  // namespace earshot
