#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/model/native/layer_check.hpp"

namespace earshot {
namespace {

/// PyTorch's rule: a last window is kept only if it starts inside the input.
std::size_t outputs(std::size_t size, const Pool& layer) {
  if (layer.kernel == 0) return 1;
  const std::size_t rest = size - layer.kernel;
  std::size_t count = (layer.ceil ? (rest + layer.stride - 1) / layer.stride : rest / layer.stride) + 1;
  if ((count - 1) * layer.stride >= size) --count;
  return count;
}

struct Geometry {
  Pool layer;
  Shape in;
};
PlacedLayer place_of(const Geometry& g) {
  return at(g.in, {g.in.channels, outputs(g.in.height, g.layer), outputs(g.in.width, g.layer)}, 0);
}

std::vector<Geometry> geometries() {
  std::vector<Geometry> all;
  for (const PoolKind kind : {PoolKind::kMax, PoolKind::kMean}) {
    all.push_back({{kind, 2, 2, false}, {2, 4, 6}});
    all.push_back({{kind, 2, 2, false}, {2, 5, 7}});  // a remainder is left out
    all.push_back({{kind, 3, 2, true}, {3, 8, 6}});   // overlapping, cut off at the end
    all.push_back({{kind, 3, 2, false}, {1, 7, 7}});
    all.push_back({{kind, 2, 3, true}, {2, 7, 6}});  // gaps between windows
    all.push_back({{kind, 3, 1, false}, {1, 5, 4}});
    all.push_back({{kind, 0, 1, false}, {4, 3, 5}});  // the whole plane
    all.push_back({{kind, 0, 2, true}, {3, 1, 1}});
    all.push_back({{kind, 1, 1, false}, {2, 3, 3}});  // the identity
  }
  return all;
}

std::string name_of(const Geometry& g) {
  return std::string(g.layer.kind == PoolKind::kMax ? "max " : "mean ") + std::to_string(g.layer.kernel) +
         "/" + std::to_string(g.layer.stride) + " on " + std::to_string(g.in.height) + "x" +
         std::to_string(g.in.width);
}

/// Every output looks at every cell of its plane and asks whether it is in the window.
std::vector<double> brute_force(const Geometry& g, const std::vector<double>& in) {
  const Shape out = place_of(g).out;
  std::vector<double> result;
  for (std::size_t position = 0; position < out.size(); ++position) {
    const std::size_t c = position / out.plane(), oy = position % out.plane() / out.width,
                      ox = position % out.width;
    double sum = 0, best = -std::numeric_limits<double>::infinity(), cells = 0;
    for (std::size_t cell = 0; cell < g.in.plane(); ++cell) {
      const std::size_t y = cell / g.in.width, x = cell % g.in.width, k = g.layer.kernel, s = g.layer.stride;
      if (k != 0 && (y < oy * s || y >= oy * s + k || x < ox * s || x >= ox * s + k)) continue;
      const double value = in[c * g.in.plane() + cell];
      sum += value;
      best = std::max(best, value);
      ++cells;
    }
    result.push_back(g.layer.kind == PoolKind::kMax ? best : sum / cells);
  }
  return result;
}

TEST(Pooling, EqualsBruteForce) {
  for (const Geometry& g : geometries()) {
    const LayerCase c{.place = place_of(g), .count = 2, .rows = 2};
    const LayerPoint point = layer_check::random_point(c, c.rows);
    const auto layer = make_pool<double>(g.layer, c.place);
    const LayerResult result = layer_check::run(*layer, c, point);
    for (std::size_t row = 0; row < 4; ++row) {
      layer_check::expect_near(layer_check::part(result.out, 4, row),
                               brute_force(g, layer_check::part(point.in, 4, row)), 1e-14, name_of(g));
    }
  }
}

TEST(Pooling, KeepsItsContract) {
  for (const Geometry& g : geometries()) {
    check_layer({.place = place_of(g), .count = 2, .rows = 3, .name = name_of(g)},
                [&](auto real) { return make_pool<decltype(real)>(g.layer, place_of(g)); });
  }
}

/// 3 x 3 windows two apart, cut-off windows kept: SqueezeNet 1.1's planes.
TEST(Pooling, SqueezeNetsPlanes) {
  const Pool layer{PoolKind::kMax, 3, 2, true};
  EXPECT_EQ(outputs(111, layer), 55u);
  EXPECT_EQ(outputs(55, layer), 27u);
  EXPECT_EQ(outputs(27, layer), 13u);
  EXPECT_EQ(outputs(224, layer), 112u) << "an even plane has a cut-off window";
  const Pool sparse{PoolKind::kMax, 1, 2, true};
  EXPECT_EQ(outputs(4, sparse), 2u) << "a window cannot start outside";
  const Geometry g{layer, {2, 111, 111}};
  const LayerCase c{.place = place_of(g)};
  const LayerPoint point = layer_check::random_point(c, 1);
  EXPECT_EQ(layer_check::run(*make_pool<double>(layer, c.place), c, point).out, brute_force(g, point.in));
}

struct PoolRun {
  std::vector<double> out, in_adjoint, out_tangent, in_adjoint_tangent;
};
PoolRun run_max(const Pool& layer, Shape in_shape, Shape out_shape, const std::vector<double>& in) {
  const auto pool = make_pool<double>(layer, at(in_shape, out_shape, 0));
  PoolRun run;
  run.out.resize(out_shape.size());
  run.in_adjoint.resize(in.size());
  run.out_tangent = run.out;
  run.in_adjoint_tangent = run.in_adjoint;
  std::vector<double> adjoint(run.out.size(), 1.0), in_tangent(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) in_tangent[i] = static_cast<double>(i + 1);
  LayerState<double> state;
  state.in = in.data();
  const Call<double> call{.count = 1, .rows = 1};
  pool->forward(call, state, run.out.data());
  state.out_adjoint = state.out_adjoint_tangent = adjoint.data();
  state.in_tangent = in_tangent.data();
  pool->backward(call, state, run.in_adjoint.data());
  pool->tangent(call, state, run.out_tangent.data());
  pool->tangent_backward(call, state, run.in_adjoint_tangent.data());
  return run;
}

TEST(Pooling, TheFirstOfEqualCellsWins) {
  const PoolRun run =
      run_max({PoolKind::kMax, 2, 2, true}, {1, 3, 3}, {1, 2, 2}, {0, 5, 5, 5, 5, 5, 7, 7, 5});
  EXPECT_THAT(run.out, ::testing::ElementsAre(5, 5, 7, 5));
  EXPECT_THAT(run.in_adjoint, ::testing::ElementsAre(0, 1, 1, 0, 0, 0, 1, 0, 1));
  EXPECT_THAT(run.out_tangent, ::testing::ElementsAre(2, 3, 7, 9));
  EXPECT_EQ(run.in_adjoint_tangent, run.in_adjoint);
}

TEST(Pooling, CutOffWindowsAverageTheirRealCells) {
  const Pool layer{PoolKind::kMean, 2, 2, true};
  const auto pool = make_pool<double>(layer, at({1, 3, 3}, {1, 2, 2}, 0));
  const std::array<double, 9> in{1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::array<double, 4> out{};
  LayerState<double> state;
  state.in = in.data();
  pool->forward({.count = 1, .rows = 1}, state, out.data());
  EXPECT_THAT(out, ::testing::ElementsAre(3, 4.5, 7.5, 9));
}

TEST(Pooling, ANotANumberIsNotHidden) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t place = 0; place < 4; ++place) {
    std::vector<double> in{1, 2, 3, 4};
    in[place] = nan;
    EXPECT_TRUE(std::isnan(run_max({PoolKind::kMax, 2, 2, false}, {1, 2, 2}, {1, 1, 1}, in).out[0])) << place;
  }
}

}  // namespace
}  // namespace earshot
