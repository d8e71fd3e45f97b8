// For tests: random problems for a whole network, and its gradients and pullbacks by finite differences.
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "earshot/core/random.hpp"
#include "earshot/model/cosine_matcher.hpp"
#include "earshot/model/native/native_model.hpp"
#include "earshot/model/squared_matcher.hpp"

namespace earshot {

/// Numbers of `count` problems and what was asked of them.
struct ProblemSet {
  std::size_t count = 1;
  std::size_t rows = 1;
  std::size_t target_rows = 1;
  const GraphPattern* graph = nullptr;
  std::optional<std::uint64_t> dropout{};
  std::vector<double> parameters, inputs, targets, row_weights, adjacency, directions;
};

struct SetOptions {
  std::size_t count = 1;
  std::size_t rows = 3;
  bool shared = false;  // one set of parameters for all problems
  const GraphPattern* graph = nullptr;
  bool soft_adjacency = false;
  bool weights = false;
  std::optional<std::uint64_t> dropout{};
  double spread = 0.6;
  std::uint64_t seed = 1;
};

inline std::vector<double> random_numbers(Stream& stream, std::size_t size, double spread) {
  std::vector<double> numbers(size);
  for (double& x : numbers) x = static_cast<float>(spread * stream.normal());
  return numbers;
}

/// Soft targets whose rows need not sum to one, and numbers both precisions can hold.
inline ProblemSet random_problems(const Architecture& architecture, const SetOptions& options) {
  Stream stream({options.seed, Purpose::kTest, 7});
  const std::size_t parameters = parameter_count(architecture);
  ProblemSet set;
  set.count = options.count;
  set.rows = options.rows;
  set.graph = options.graph;
  set.dropout = options.dropout;
  set.target_rows = has_read_out(architecture) ? options.graph->graphs() : options.rows;
  set.parameters = random_numbers(stream, (options.shared ? 1 : set.count) * parameters, options.spread);
  set.inputs = random_numbers(stream, set.count * set.rows * architecture.input.size(), 1);
  set.targets.resize(set.count * set.target_rows * output_shape(architecture).size());
  for (double& q : set.targets) q = static_cast<float>(stream.uniform());
  if (options.weights) {
    for (std::size_t i = 0; i < set.target_rows; ++i) set.row_weights.push_back(i % 3 == 1 ? 0 : 0.5 + i);
  }
  if (options.soft_adjacency) {
    for (std::size_t i = 0; i < set.count * options.graph->edges(); ++i) {
      set.adjacency.push_back(static_cast<float>(0.2 + stream.uniform()));
    }
  }
  set.directions = random_numbers(stream, set.count * parameters, 1);
  return set;
}

template <class Real>
std::vector<Real> as(const std::vector<double>& numbers) {
  return {numbers.begin(), numbers.end()};
}

/// A problem set in either precision.
template <class Real>
struct HeldSet {
  std::vector<Real> parameters, inputs, targets, row_weights, adjacency, directions;
  Problems<Real> problems;
  explicit HeldSet(const ProblemSet& set)
      : parameters(as<Real>(set.parameters)),
        inputs(as<Real>(set.inputs)),
        targets(as<Real>(set.targets)),
        row_weights(as<Real>(set.row_weights)),
        adjacency(as<Real>(set.adjacency)),
        directions(as<Real>(set.directions)) {
    problems.count = set.count;
    problems.rows = set.rows;
    problems.parameters = parameters;
    problems.inputs = inputs;
    problems.targets = targets;
    problems.row_weights = row_weights;
    problems.graph = set.graph;
    problems.adjacency = adjacency;
    problems.dropout = set.dropout;
  }
};

struct SetResult {
  std::vector<double> losses, gradients, inputs, targets, adjacency;
};

template <class Real>
SetResult evaluate(Evaluation<Real>& evaluation, const ProblemSet& set) {
  const HeldSet<Real> held(set);
  const std::size_t edges = set.graph == nullptr ? 0 : set.graph->edges();
  const Real unwritten = std::numeric_limits<Real>::quiet_NaN();
  std::vector<Real> losses(set.count, unwritten), gradients(set.directions.size(), unwritten),
      inputs(set.inputs.size(), unwritten), targets(set.targets.size(), unwritten),
      adjacency(set.count * edges, unwritten);
  evaluation.gradients(held.problems, losses, gradients);
  evaluation.pullbacks(held.directions, {inputs, targets, adjacency});
  const auto wide = [](const std::vector<Real>& v) { return std::vector<double>(v.begin(), v.end()); };
  return {wide(losses), wide(gradients), wide(inputs), wide(targets), wide(adjacency)};
}

inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}
inline double norm(const std::vector<double>& a) {
  return std::sqrt(dot(a, a));
}
/// Relative to the larger of the norms: single components may be small by cancellation.
inline void expect_close(const std::vector<double>& actual, const std::vector<double>& expected,
                         double tolerance, const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  std::vector<double> difference(actual.size());
  for (std::size_t i = 0; i < actual.size(); ++i) difference[i] = actual[i] - expected[i];
  EXPECT_LE(norm(difference), tolerance * (1e-3 + norm(expected))) << what;
}

/// The derivative of `value` when `numbers` move in a random direction, against the inner product of that
/// direction and `gradient`: wrong in any component, wrong with probability one. The step balances truncation
/// and rounding in double.
template <class Value>
void check_slope(std::vector<double>& numbers, const std::vector<double>& gradient, Value value,
                 std::uint64_t seed, const std::string& what) {
  if (numbers.empty()) return;
  Stream stream({seed, Purpose::kTest, 8});
  const std::vector<double> start = numbers;
  const std::vector<double> direction = random_numbers(stream, numbers.size(), 1);
  const double step = 1e-5 / std::max(1.0, norm(direction) / 10);
  const auto at = [&](double t) {
    for (std::size_t i = 0; i < start.size(); ++i) numbers[i] = start[i] + t * direction[i];
    return value();
  };
  const double slope = (at(step) - at(-step)) / (2 * step);
  numbers = start;
  EXPECT_NEAR(dot(gradient, direction), slope, 1e-6 * (1 + norm(gradient) * norm(direction))) << what;
}

/// With shared parameters the gradients of all problems act on the one set.
inline std::vector<double> summed(const std::vector<double>& gradients, std::size_t size) {
  std::vector<double> sum(size, 0.0);
  for (std::size_t i = 0; i < gradients.size(); ++i) sum[i % size] += gradients[i];
  return sum;
}

inline void check_derivatives(const Model& model, ProblemSet set, const std::string& what) {
  const auto evaluation = model.evaluation();
  const SetResult result = evaluate(*evaluation, set);
  const auto loss = [&] {
    double sum = 0;
    for (const double l : evaluate(*evaluation, set).losses) sum += l;
    return sum;
  };
  const auto pulled = [&] { return dot(evaluate(*evaluation, set).gradients, set.directions); };
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    check_slope(set.parameters, summed(result.gradients, set.parameters.size()), loss, seed,
                what + ": gradient");
    check_slope(set.inputs, result.inputs, pulled, seed, what + ": pullback to the inputs");
    check_slope(set.targets, result.targets, pulled, seed, what + ": pullback to the targets");
    check_slope(set.adjacency, result.adjacency, pulled, seed, what + ": pullback to the adjacency");
  }
}

/// Problem k alone.
inline ProblemSet only(const ProblemSet& set, std::size_t k) {
  const auto slice = [&](const std::vector<double>& all) {
    const std::size_t size = all.size() / set.count;
    return std::vector<double>(all.begin() + static_cast<std::ptrdiff_t>(k * size),
                               all.begin() + static_cast<std::ptrdiff_t>((k + 1) * size));
  };
  ProblemSet one = set;
  one.count = 1;
  if (set.parameters.size() == set.directions.size()) one.parameters = slice(set.parameters);
  one.inputs = slice(set.inputs);
  one.targets = slice(set.targets);
  one.adjacency = slice(set.adjacency);
  one.directions = slice(set.directions);
  return one;
}

inline void check_one_by_one(const Model& model, const ProblemSet& set, const std::string& what) {
  const SetResult all = evaluate(*model.evaluation(), set);
  SetResult joined;
  const auto append = [](std::vector<double>& to, const std::vector<double>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  for (std::size_t k = 0; k < set.count; ++k) {
    const SetResult one = evaluate(*model.evaluation(), only(set, k));
    append(joined.losses, one.losses);
    append(joined.gradients, one.gradients);
    append(joined.inputs, one.inputs);
    append(joined.targets, one.targets);
    append(joined.adjacency, one.adjacency);
  }
  expect_close(all.losses, joined.losses, 1e-11, what + ": losses one by one");
  expect_close(all.gradients, joined.gradients, 1e-11, what + ": gradients one by one");
  expect_close(all.inputs, joined.inputs, 1e-11, what + ": inputs one by one");
  expect_close(all.targets, joined.targets, 1e-11, what + ": targets one by one");
  expect_close(all.adjacency, joined.adjacency, 1e-11, what + ": adjacency one by one");
}

/// Distances from `observed`, and derivatives, written where a matcher must write every number.
template <class Real>
struct Matched {
  std::vector<Real> inputs, targets, adjacency;
  std::vector<double> distances;

  Matched(const ProblemSet& set, std::size_t adjacency_size)
      : inputs(set.inputs.size(), kUnwritten),
        targets(set.targets.size(), kUnwritten),
        adjacency(adjacency_size, kUnwritten),
        distances(set.count, kUnwritten) {}
  ProblemGradient<Real> slopes() { return {inputs, targets, adjacency}; }
  static constexpr Real kUnwritten = std::numeric_limits<Real>::quiet_NaN();
};

/// A matcher against the set's own directions, of which pullbacks are taken, and the expected distances.
template <class Real, class Match>
void check_matched(Evaluation<Real>& evaluation, const ProblemSet& set, const std::vector<double>& expected,
                   double tolerance, const std::string& what, Match match) {
  const SetResult pulled = evaluate(evaluation, set);
  const HeldSet<Real> held(set);
  Matched<Real> matched(set, pulled.adjacency.size());
  match(held.problems, matched);
  const auto wide = [](const std::vector<Real>& v) { return std::vector<double>(v.begin(), v.end()); };
  EXPECT_EQ(evaluate(evaluation, set).inputs, pulled.inputs) << what << ": pullbacks after matching";
  expect_close(matched.distances, expected, tolerance, what + ": distances");
  expect_close(wide(matched.inputs), pulled.inputs, tolerance, what + ": matching to the inputs");
  expect_close(wide(matched.targets), pulled.targets, tolerance, what + ": matching to the targets");
  expect_close(wide(matched.adjacency), pulled.adjacency, tolerance, what + ": matching to the adjacency");
}

/// Matching against gradients, their differences from what was observed, and pullbacks of those.
template <class Real>
void check_squared_matching(Evaluation<Real>& evaluation, ProblemSet set, const std::vector<double>& observed,
                            double tolerance, const std::string& what) {
  const SetResult gradients = evaluate(evaluation, set);
  std::vector<double> expected(set.count);
  for (std::size_t i = 0; i < set.directions.size(); ++i) {
    const double apart = gradients.gradients[i] - observed[i % observed.size()];
    expected[i / observed.size()] += apart * apart;
    set.directions[i] = 2 * apart;
  }
  check_matched<Real>(evaluation, set, expected, tolerance, what, [&](const auto& problems, auto& matched) {
    dynamic_cast<SquaredMatcher<Real>&>(evaluation)
        .match(problems, as<Real>(observed), matched.distances, matched.slopes());
  });
}

/// The same for 1 - cos of the angle, whose derivative is projected off the gradient's own direction.
template <class Real>
void check_cosine_matching(Evaluation<Real>& evaluation, ProblemSet set, const std::vector<double>& observed,
                           double tolerance, const std::string& what) {
  const SetResult gradients = evaluate(evaluation, set);
  const std::size_t size = observed.size();
  std::vector<double> expected(set.count);
  for (std::size_t k = 0; k < set.count; ++k) {
    const double* g = gradients.gradients.data() + k * size;
    const double length = std::sqrt(std::inner_product(g, g + size, g, 0.0));
    const double seen =
        std::sqrt(std::inner_product(observed.begin(), observed.end(), observed.begin(), 0.0));
    if (length == 0) {
      expected[k] = 1;
      std::fill_n(set.directions.begin() + static_cast<std::ptrdiff_t>(k * size), size, 0.0);
      continue;
    }
    const double cosine = std::inner_product(g, g + size, observed.begin(), 0.0) / length / seen;
    expected[k] = 1 - cosine;
    for (std::size_t i = 0; i < size; ++i)
      set.directions[k * size + i] = (cosine * g[i] / length - observed[i] / seen) / length;
  }
  check_matched<Real>(evaluation, set, expected, tolerance, what + " by angle",
                      [&](const auto& problems, auto& matched) {
                        dynamic_cast<CosineMatcher<Real>&>(evaluation)
                            .match_cosine(problems, as<Real>(observed), matched.distances, matched.slopes());
                      });
}

template <class Real>
void check_matching(Evaluation<Real>& evaluation, const ProblemSet& set, double tolerance,
                    const std::string& what) {
  const std::vector<double> observed(
      set.directions.begin(),
      set.directions.begin() + static_cast<std::ptrdiff_t>(set.directions.size() / set.count));
  check_squared_matching(evaluation, set, observed, tolerance, what);
  check_cosine_matching(evaluation, set, observed, tolerance, what);
}

inline void check_precisions(const Model& model, const ProblemSet& set, const std::string& what) {
  const SetResult exact = evaluate(*model.evaluation(), set);
  const SetResult fast = evaluate(*model.fast_evaluation(), set);
  expect_close(fast.losses, exact.losses, 1e-4, what + ": losses in single precision");
  expect_close(fast.gradients, exact.gradients, 1e-4, what + ": gradients in single precision");
  expect_close(fast.inputs, exact.inputs, 1e-4, what + ": inputs in single precision");
  expect_close(fast.targets, exact.targets, 1e-4, what + ": targets in single precision");
  expect_close(fast.adjacency, exact.adjacency, 1e-4, what + ": adjacency in single precision");
}

}  // namespace earshot
