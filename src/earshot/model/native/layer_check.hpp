// For tests: holds a native layer to its contract by finite differences.
//
//   const PlacedLayer place = at(Shape{3, 8, 8}, Shape{4, 6, 6}, parameter_count);
//   check_layer({.place = place, .count = 2, .rows = 3}, [&](auto real) {
//     return make_convolution<decltype(real)>(layer, place);
//   });
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "earshot/core/random.hpp"
#include "earshot/model/native/layers.hpp"

namespace earshot {

inline PlacedLayer at(Shape in, Shape out, std::size_t parameter_count) {
  PlacedLayer place;
  place.in = in;
  place.out = out;
  place.parameter_count = parameter_count;
  return place;
}

struct LayerCase {
  PlacedLayer place;
  std::size_t count = 1;
  std::size_t rows = 1;  // nodes for graph layers
  bool shared = false;   // one set of parameters for all problems
  bool predicting = false;
  std::optional<std::uint64_t> dropout{};
  const GraphPattern* graph = nullptr;
  std::vector<double> adjacency{};  // count x edges or edges; empty: all 1. Its tangent is then checked too
  double spread = 1;                // standard deviation of inputs and parameters
  std::uint64_t seed = 1;
  std::string name{};
};

/// Where a layer is evaluated and the direction everything moves in. Numbers are floats, so that both
/// precisions see the same point.
struct LayerPoint {
  std::vector<double> in, parameters, out_adjoint, adjacency;
  std::vector<double> in_tangent, direction, out_adjoint_tangent;
};

struct LayerResult {
  std::vector<double> out, in_adjoint, gradient, squared_norms, out_tangent, in_adjoint_tangent,
      adjacency_tangent;
};

namespace layer_check {

/// Parameters of one layer lie inside those of a network: a gap after each problem's must stay untouched.
inline constexpr std::size_t kGap = 3;
/// What memory holds before: to see which procedures add and which write over it.
inline constexpr double kStart = 0.75;

inline std::size_t parameter_sets(const LayerCase& c) {
  return c.shared ? 1 : c.count;
}
inline std::size_t parameter_stride(const LayerCase& c) {
  return c.place.parameter_count + kGap;
}
inline std::size_t edges(const LayerCase& c) {
  return c.graph == nullptr ? 0 : c.graph->edges();
}

template <class To, class From>
std::vector<To> convert(const std::vector<From>& from) {
  std::vector<To> to(from.size());
  std::transform(from.begin(), from.end(), to.begin(), [](From value) { return static_cast<To>(value); });
  return to;
}

template <class Real>
Call<Real> call_of(const LayerCase& c, const std::vector<Real>& adjacency) {
  Call<Real> call;
  call.count = c.count;
  call.rows = c.rows;
  call.predicting = c.predicting;
  call.dropout = c.dropout;
  call.graph = c.graph;
  if (!adjacency.empty()) {
    call.adjacency = {adjacency.data(), adjacency.size() == edges(c) ? 0 : edges(c)};
  }
  return call;
}

/// All procedures of one step, in their order.
template <class Real>
LayerResult run(NativeLayer<Real>& layer, const LayerCase& c, const LayerPoint& point,
                bool input_moves = true) {
  const auto in = convert<Real>(point.in), parameters = convert<Real>(point.parameters),
             out_adjoint = convert<Real>(point.out_adjoint), adjacency = convert<Real>(point.adjacency),
             in_tangent = convert<Real>(point.in_tangent), direction = convert<Real>(point.direction),
             out_adjoint_tangent = convert<Real>(point.out_adjoint_tangent);
  Call<Real> call = call_of<Real>(c, adjacency);
  const std::size_t out_size = c.count * layer.rows_out(call) * c.place.out.size();
  const Real unwritten = std::numeric_limits<Real>::quiet_NaN();
  std::vector<Real> out(out_size, unwritten), in_adjoint(in.size(), unwritten),
      gradient(c.count * parameter_stride(c), static_cast<Real>(kStart)), out_tangent(out_size, unwritten),
      in_adjoint_tangent(in.size(), unwritten),
      adjacency_tangent(c.count * edges(c), static_cast<Real>(kStart));
  std::vector<double> squared_norms(layer.mixes_rows() ? 0 : c.count * c.rows, kStart);

  LayerState<Real> state;
  state.in = in.data();
  state.parameters = {parameters.data(), c.shared ? 0 : parameter_stride(c)};
  layer.forward(call, state, out.data());
  state.out = out.data();
  state.out_adjoint = out_adjoint.data();
  layer.backward(call, state, in_adjoint.data());
  layer.parameter_gradient(call, state, {gradient.data(), parameter_stride(c)});
  if (!squared_norms.empty()) layer.add_squared_norms(call, state, squared_norms.data());
  state.in_tangent = input_moves ? in_tangent.data() : nullptr;
  state.direction = {direction.data(), parameter_stride(c)};
  state.out_tangent = out_tangent.data();
  state.out_adjoint_tangent = out_adjoint_tangent.data();
  for (const bool again : {false, true}) {  // several pullbacks may follow one gradient
    layer.tangent(call, state, out_tangent.data());
    if (again && !adjacency.empty()) call.adjacency_tangent = {adjacency_tangent.data(), edges(c)};
    layer.tangent_backward(call, state, in_adjoint_tangent.data());
  }
  return {convert<double>(out),
          convert<double>(in_adjoint),
          convert<double>(gradient),
          squared_norms,
          convert<double>(out_tangent),
          convert<double>(in_adjoint_tangent),
          convert<double>(adjacency_tangent)};
}

inline std::vector<double> random_floats(Stream& stream, std::size_t size, double spread) {
  std::vector<double> numbers(size);
  for (double& number : numbers) number = static_cast<float>(spread * stream.normal());
  return numbers;
}

inline LayerPoint random_point(const LayerCase& c, std::size_t rows_out) {
  Stream stream({c.seed, Purpose::kTest});
  const std::size_t in = c.count * c.rows * c.place.in.size(), out = c.count * rows_out * c.place.out.size();
  LayerPoint point;
  point.in = random_floats(stream, in, c.spread);
  point.parameters = random_floats(stream, parameter_sets(c) * parameter_stride(c), c.spread);
  point.out_adjoint = random_floats(stream, out, 1);
  for (const double value : c.adjacency) point.adjacency.push_back(static_cast<float>(value));
  point.in_tangent = random_floats(stream, in, 1);
  point.direction = random_floats(stream, c.count * parameter_stride(c), 1);
  point.out_adjoint_tangent = random_floats(stream, out, 1);
  return point;
}

/// The point `step` further along its own direction. Shared parameters cannot move by each problem's
/// direction: give every problem its own before.
inline LayerPoint moved(LayerPoint point, double step, bool input_moves) {
  const auto move = [step](std::vector<double>& value, const std::vector<double>& by) {
    for (std::size_t i = 0; i < value.size(); ++i) value[i] += step * by[i];
  };
  if (input_moves) move(point.in, point.in_tangent);
  move(point.parameters, point.direction);
  move(point.out_adjoint, point.out_adjoint_tangent);
  return point;
}

inline double inner(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

inline void expect_near(const std::vector<double>& actual, const std::vector<double>& expected,
                        double tolerance, const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  double largest = 1;
  for (const double value : expected) largest = std::max(largest, std::abs(value));
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (std::abs(actual[i] - expected[i]) <= tolerance * largest) continue;
    if (++wrong <= 3) ADD_FAILURE() << what << " [" << i << "] is " << actual[i] << ", not " << expected[i];
  }
  EXPECT_EQ(wrong, 0u) << what << ": wrong numbers of " << actual.size();
}

inline std::vector<double> difference(const std::vector<double>& ahead, const std::vector<double>& behind,
                                      double step) {
  std::vector<double> slope(ahead.size());
  for (std::size_t i = 0; i < slope.size(); ++i) slope[i] = (ahead[i] - behind[i]) / (2 * step);
  return slope;
}

inline constexpr double kStep = 1e-5;
inline constexpr double kSlopeTolerance = 1e-6;
inline constexpr double kExact = 1e-11;  // the same sums in another order
inline constexpr double kFloatTolerance = 1e-4;

/// Slopes are taken at so many numbers of each vector at most, spread evenly.
inline constexpr std::size_t kProbes = 40;

/// The slope of `value` at every probed entry of `numbers`, against `expected`.
template <class Value>
void check_slopes(std::vector<double>& numbers, const std::vector<double>& expected, Value value,
                  const std::string& what) {
  const std::size_t stride = numbers.size() / kProbes + 1;
  std::vector<double> slopes, wanted;
  for (std::size_t i = 0; i < numbers.size(); i += stride) {
    const double kept = numbers[i];
    numbers[i] = kept + kStep;
    const double ahead = value();
    numbers[i] = kept - kStep;
    const double behind = value();
    numbers[i] = kept;
    slopes.push_back((ahead - behind) / (2 * kStep));
    wanted.push_back(expected[i]);
  }
  expect_near(wanted, slopes, kSlopeTolerance, what);
}

/// Per-problem gradients, summed over problems if those share their parameters; the gap keeps 0.
inline std::vector<double> total_gradient(const LayerCase& c, const LayerResult& result) {
  std::vector<double> total(parameter_sets(c) * parameter_stride(c), 0.0);
  for (std::size_t i = 0; i < result.gradient.size(); ++i) {
    const bool gap = i % parameter_stride(c) >= c.place.parameter_count;
    total[i % total.size()] += gap ? result.gradient[i] - kStart : result.gradient[i];
  }
  return total;
}

inline void check_first_order(NativeLayer<double>& layer, const LayerCase& c, LayerPoint point) {
  const LayerResult result = run(layer, c, point);
  const auto value = [&] { return inner(run(layer, c, point).out, point.out_adjoint); };
  check_slopes(point.in, result.in_adjoint, value, "backward");
  const std::vector<double> gradient = total_gradient(c, result);
  check_slopes(point.parameters, gradient, value, "parameter_gradient");
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    if (i % parameter_stride(c) < c.place.parameter_count) continue;
    EXPECT_EQ(gradient[i], 0) << "a parameter of another layer";
  }
}

/// tangent and tangent_backward are the derivatives of forward and backward along the direction.
inline void check_tangents(NativeLayer<double>& layer, const LayerCase& c, const LayerPoint& point,
                           bool input_moves) {
  const std::string which = input_moves ? "" : " with a fixed input";
  const LayerResult result = run(layer, c, point, input_moves);
  const LayerResult ahead = run(layer, c, moved(point, kStep, input_moves));
  const LayerResult behind = run(layer, c, moved(point, -kStep, input_moves));
  expect_near(result.out_tangent, difference(ahead.out, behind.out, kStep), kSlopeTolerance,
              "tangent" + which);
  expect_near(result.in_adjoint_tangent, difference(ahead.in_adjoint, behind.in_adjoint, kStep),
              kSlopeTolerance, "tangent_backward" + which);
}

/// d'(adjacency) is the slope in the adjacency of <d', out> + <d, h'(out)>.
inline void check_adjacency(NativeLayer<double>& layer, const LayerCase& c, LayerPoint point,
                            bool input_moves) {
  if (point.adjacency.empty()) return;
  std::vector<double> tangent(point.adjacency.size(), 0.0);
  const LayerResult result = run(layer, c, point, input_moves);
  for (std::size_t i = 0; i < result.adjacency_tangent.size(); ++i) {
    tangent[i % tangent.size()] += result.adjacency_tangent[i] - kStart;
  }
  const auto value = [&] {
    const LayerResult here = run(layer, c, point, input_moves);
    return inner(here.out, point.out_adjoint_tangent) + inner(here.out_tangent, point.out_adjoint);
  };
  check_slopes(point.adjacency, tangent, value, "adjacency_tangent");
}

/// `numbers` of problem k, out of `sets` sets.
inline std::vector<double> part(const std::vector<double>& numbers, std::size_t sets, std::size_t k) {
  const std::size_t size = numbers.size() / sets;
  const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>((sets == 1 ? 0 : k) * size);
  return {begin, begin + static_cast<std::ptrdiff_t>(size)};
}

inline LayerPoint problem_of(const LayerCase& c, const LayerPoint& point, std::size_t k) {
  const std::size_t adjacencies = point.adjacency.size() == edges(c) ? 1 : c.count;
  return {part(point.in, c.count, k),
          part(point.parameters, parameter_sets(c), k),
          part(point.out_adjoint, c.count, k),
          part(point.adjacency, adjacencies, k),
          part(point.in_tangent, c.count, k),
          part(point.direction, c.count, k),
          part(point.out_adjoint_tangent, c.count, k)};
}

/// Problems do not see each other, and what a layer keeps from a larger call does not matter. (A dropout mask
/// depends on the place of a row among all.)
inline void check_problems_alone(NativeLayer<double>& layer, const LayerCase& c, const LayerPoint& point) {
  if (c.dropout) return;
  const LayerResult all = run(layer, c, point);
  LayerCase one = c;
  one.count = 1;
  for (std::size_t k = 0; k < c.count; ++k) {
    const LayerResult alone = run(layer, one, problem_of(c, point, k));
    const auto same = [&](const std::vector<double>& a, const std::vector<double>& b, const char* what) {
      expect_near(a, part(b, c.count, k), kExact, std::string(what) + " of one problem alone");
    };
    same(alone.out, all.out, "forward");
    same(alone.in_adjoint, all.in_adjoint, "backward");
    same(alone.gradient, all.gradient, "parameter_gradient");
    same(alone.out_tangent, all.out_tangent, "tangent");
    same(alone.in_adjoint_tangent, all.in_adjoint_tangent, "tangent_backward");
  }
}

inline void check_squared_norms(NativeLayer<double>& layer, const LayerCase& c, const LayerPoint& point) {
  if (layer.mixes_rows()) return;
  const LayerResult all = run(layer, c, point);
  LayerCase one = c;
  one.count = one.rows = 1;
  std::vector<double> expected;
  for (std::size_t k = 0; k < c.count; ++k) {
    const LayerPoint problem = problem_of(c, point, k);
    for (std::size_t i = 0; i < c.rows; ++i) {
      LayerPoint row = problem;
      row.in = part(problem.in, c.rows, i);
      row.out_adjoint = part(problem.out_adjoint, c.rows, i);
      row.in_tangent = part(problem.in_tangent, c.rows, i);
      row.out_adjoint_tangent = part(problem.out_adjoint_tangent, c.rows, i);
      const std::vector<double> gradient = total_gradient(one, run(layer, one, row));
      expected.push_back(kStart + inner(gradient, gradient));
    }
  }
  expect_near(all.squared_norms, expected, kExact, "add_squared_norms");
}

inline void check_precision(NativeLayer<double>& layer, NativeLayer<float>& fast, const LayerCase& c,
                            const LayerPoint& point) {
  const LayerResult exact = run(layer, c, point), rounded = run(fast, c, point);
  expect_near(rounded.out, exact.out, kFloatTolerance, "forward in float");
  expect_near(rounded.in_adjoint, exact.in_adjoint, kFloatTolerance, "backward in float");
  expect_near(rounded.gradient, exact.gradient, kFloatTolerance, "parameter_gradient in float");
  expect_near(rounded.squared_norms, exact.squared_norms, kFloatTolerance, "add_squared_norms in float");
  expect_near(rounded.out_tangent, exact.out_tangent, kFloatTolerance, "tangent in float");
  expect_near(rounded.in_adjoint_tangent, exact.in_adjoint_tangent, kFloatTolerance,
              "tangent_backward in float");
  expect_near(rounded.adjacency_tangent, exact.adjacency_tangent, kFloatTolerance,
              "adjacency_tangent in float");
}

/// Directions are per problem, so along a direction every problem needs its own parameters.
inline LayerCase unshared(LayerCase c, LayerPoint& point) {
  if (!c.shared) return c;
  const std::vector<double> one = point.parameters;
  for (std::size_t k = 1; k < c.count; ++k) {
    point.parameters.insert(point.parameters.end(), one.begin(), one.end());
  }
  c.shared = false;
  return c;
}

/// Sharing parameters is only a way to store them.
inline void check_sharing(NativeLayer<double>& layer, const LayerCase& c, const LayerPoint& point) {
  if (!c.shared) return;
  LayerPoint own = point;
  const LayerCase separate = unshared(c, own);
  const LayerResult a = run(layer, c, point), b = run(layer, separate, own);
  expect_near(a.out, b.out, kExact, "forward with shared parameters");
  expect_near(a.in_adjoint, b.in_adjoint, kExact, "backward with shared parameters");
  expect_near(a.gradient, b.gradient, kExact, "parameter_gradient with shared parameters");
  expect_near(a.out_tangent, b.out_tangent, kExact, "tangent with shared parameters");
  expect_near(a.in_adjoint_tangent, b.in_adjoint_tangent, kExact, "tangent_backward with shared parameters");
}

}  // namespace layer_check

/// Holds a layer to everything layer.hpp promises. `make` is called with a double and a float and returns
/// the layer for that type. Layers with kinks are differentiable at random points with probability 1; should
/// a difference straddle a kink, change the seed.
template <class Make>
void check_layer(const LayerCase& c, Make make) {
  const ::testing::ScopedTrace trace(__FILE__, __LINE__, "layer check: " + c.name);
  const auto layer = make(double{});
  const auto fast = make(float{});
  const std::vector<double> adjacency = c.adjacency;
  LayerPoint point =
      layer_check::random_point(c, layer->rows_out(layer_check::call_of<double>(c, adjacency)));
  layer_check::check_first_order(*layer, c, point);
  layer_check::check_squared_norms(*layer, c, point);
  layer_check::check_precision(*layer, *fast, c, point);
  layer_check::check_sharing(*layer, c, point);
  layer_check::check_problems_alone(*layer, c, point);
  const LayerCase separate = layer_check::unshared(c, point);
  for (const bool input_moves : {true, false}) {
    layer_check::check_tangents(*layer, separate, point, input_moves);
    layer_check::check_adjacency(*layer, separate, point, input_moves);
  }
}

}  // namespace earshot
