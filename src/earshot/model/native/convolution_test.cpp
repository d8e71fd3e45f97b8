#include <array>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/model/native/layer_check.hpp"

namespace earshot {
namespace {

struct Geometry {
  Convolve layer;
  Shape in;
};

std::size_t outputs(std::size_t size, std::size_t kernel, std::size_t stride, std::size_t padding) {
  return (size + 2 * padding - kernel) / stride + 1;
}
Shape output_of(const Geometry& g) {
  return {g.layer.channels,
          outputs(g.in.height, g.layer.kernel_height, g.layer.stride, g.layer.padding_height),
          outputs(g.in.width, g.layer.kernel_width, g.layer.stride, g.layer.padding_width)};
}
PlacedLayer place_of(const Geometry& g) {
  const std::size_t weights = g.in.channels * g.layer.kernel_height * g.layer.kernel_width;
  return at(g.in, output_of(g), g.layer.channels * (weights + (g.layer.bias ? 1 : 0)));
}

const std::vector<Geometry>& geometries() {
  static const std::vector<Geometry> all{
      {{2, 3, 3, 1, 0, 0, true}, {1, 5, 6}},     // plain
      {{3, 5, 5, 2, 2, 2, true}, {2, 9, 8}},     // DLG's LeNet
      {{4, 1, 1, 1, 0, 0, true}, {3, 4, 5}},     // pointwise, several records side by side
      {{4, 1, 1, 1, 0, 0, false}, {3, 12, 11}},  // pointwise, in place
      {{2, 1, 1, 2, 0, 0, false}, {3, 7, 5}},    // ResNet's shortcut
      {{16, 1, 3, 1, 0, 0, true}, {1, 1, 21}},   // 1-D
      {{3, 1, 5, 2, 0, 3, true}, {2, 1, 110}},   // 1-D with padding and stride
      {{2, 3, 3, 3, 1, 0, true}, {1, 8, 8}},     // stride leaves a remainder, unequal padding
      {{2, 4, 2, 1, 3, 1, false}, {2, 3, 4}},    // taller than the picture, padding everywhere
      {{2, 3, 3, 1, 2, 2, true}, {1, 1, 1}},     // mostly padding
      {{2, 2, 3, 5, 0, 1, true}, {2, 6, 3}},     // stride beyond the kernel
      {{2, 3, 3, 1, 1, 1, true}, {1, 24, 30}},   // more positions than one product takes
      {{8, 3, 3, 1, 0, 0, true}, {6, 4, 4}},     // few positions: norms by Gram matrices
  };
  return all;
}

/// The definition: six nested sums.
std::vector<double> direct(const Geometry& g, const std::vector<double>& in, const double* parameters) {
  const Shape out = output_of(g);
  const auto& l = g.layer;
  std::vector<double> result;
  for (std::size_t d = 0; d < out.channels; ++d) {
    for (std::size_t oy = 0; oy < out.height; ++oy) {
      for (std::size_t ox = 0; ox < out.width; ++ox) {
        double sum = l.bias ? parameters[place_of(g).parameter_count - l.channels + d] : 0.0;
        for (std::size_t c = 0; c < g.in.channels; ++c) {
          for (std::size_t ky = 0; ky < l.kernel_height; ++ky) {
            for (std::size_t kx = 0; kx < l.kernel_width; ++kx) {
              const auto y = static_cast<std::ptrdiff_t>(oy * l.stride + ky - l.padding_height);
              const auto x = static_cast<std::ptrdiff_t>(ox * l.stride + kx - l.padding_width);
              if (y < 0 || x < 0 || y >= static_cast<std::ptrdiff_t>(g.in.height) ||
                  x >= static_cast<std::ptrdiff_t>(g.in.width)) {
                continue;
              }
              const std::size_t tap = ((d * g.in.channels + c) * l.kernel_height + ky) * l.kernel_width + kx;
              sum += parameters[tap] * in[(c * g.in.height + static_cast<std::size_t>(y)) * g.in.width +
                                          static_cast<std::size_t>(x)];
            }
          }
        }
        result.push_back(sum);
      }
    }
  }
  return result;
}

std::string name_of(const Geometry& g) {
  const auto& l = g.layer;
  return std::to_string(g.in.channels) + "x" + std::to_string(g.in.height) + "x" +
         std::to_string(g.in.width) + " kernel " + std::to_string(l.kernel_height) + "x" +
         std::to_string(l.kernel_width) + " stride " + std::to_string(l.stride);
}

TEST(Convolution, EqualsSixNestedSums) {
  for (const Geometry& g : geometries()) {
    const LayerCase c{.place = place_of(g), .count = 2, .rows = 3};
    const LayerPoint point = layer_check::random_point(c, c.rows);
    const auto layer = make_convolution<double>(g.layer, c.place);
    const LayerResult result = layer_check::run(*layer, c, point);
    for (std::size_t row = 0; row < 6; ++row) {
      const double* parameters = point.parameters.data() + row / 3 * layer_check::parameter_stride(c);
      layer_check::expect_near(layer_check::part(result.out, 6, row),
                               direct(g, layer_check::part(point.in, 6, row), parameters), 1e-13, name_of(g));
    }
  }
}

TEST(Convolution, KeepsItsContract) {
  for (const Geometry& g : geometries()) {
    for (const bool shared : {false, true}) {
      check_layer({.place = place_of(g), .count = 2, .rows = 3, .shared = shared, .name = name_of(g)},
                  [&](auto real) { return make_convolution<decltype(real)>(g.layer, place_of(g)); });
    }
  }
}

TEST(Convolution, AnEmptyBatchHasGradientZero) {
  const Geometry& g = geometries().front();
  const LayerCase c{.place = place_of(g), .count = 2, .rows = 0};
  const auto layer = make_convolution<double>(g.layer, c.place);
  const LayerResult result = layer_check::run(*layer, c, layer_check::random_point(c, 0));
  EXPECT_THAT(layer_check::total_gradient(c, result), ::testing::Each(0));
}

TEST(Convolution, ByHand) {
  const Convolve layer{1, 2, 2, 1, 0, 0, true};
  const auto convolution = make_convolution<double>(layer, at({1, 2, 3}, {1, 1, 2}, 5));
  const std::array<double, 6> in{1, 2, 3, 4, 5, 6};
  const std::array<double, 5> parameters{1, 10, 100, 1000, 0.5};
  std::array<double, 2> out{};
  LayerState<double> state;
  state.in = in.data();
  state.parameters = {parameters.data(), 0};
  convolution->forward({.count = 1, .rows = 1}, state, out.data());
  EXPECT_THAT(out, ::testing::ElementsAre(5421.5, 6532.5));
}

/// SqueezeNet 1.1's first convolution: 64 kernels of 3x3, stride 2, on 3 x 224 x 224 gives planes of 111.
TEST(Convolution, SqueezeNetsFirstLayer) {
  const Geometry g{{64, 3, 3, 2, 0, 0, true}, {3, 224, 224}};
  EXPECT_EQ(output_of(g), (Shape{64, 111, 111}));
  EXPECT_EQ(place_of(g).parameter_count, 1792u);
  const LayerCase c{.place = place_of(g)};
  const LayerPoint point = layer_check::random_point(c, 1);
  const auto layer = make_convolution<double>(g.layer, c.place);
  layer_check::expect_near(layer_check::run(*layer, c, point).out,
                           direct(g, point.in, point.parameters.data()), 1e-13, "first layer");
}

/// A record whose patches are nearly equal and whose adjoints nearly add up to nothing: its gradient is
/// short, though the Gram matrices are large and, in float, mostly rounding.
TEST(Convolution, NormsSurviveCancellation) {
  const Geometry g{{32, 1, 1, 1, 0, 0, false}, {64, 3, 3}};
  const LayerCase c{.place = place_of(g)};
  LayerPoint point = layer_check::random_point(c, 1);
  for (std::size_t i = 0; i < point.in.size(); ++i) {
    point.in[i] = static_cast<float>(point.in[i / 9 * 9] + (i % 9 == 0 ? 0 : 1e-4 * point.in[i]));
  }
  for (std::size_t d = 0; d < 32; ++d) {
    double rest = 0;
    for (std::size_t t = 0; t < 8; ++t) rest -= point.out_adjoint[9 * d + t];
    point.out_adjoint[9 * d + 8] = static_cast<float>(rest);
  }
  const auto exact =
      layer_check::total_gradient(c, layer_check::run(*make_convolution<double>(g.layer, c.place), c, point));
  const LayerResult fast = layer_check::run(*make_convolution<float>(g.layer, c.place), c, point);
  const double norm = std::sqrt(layer_check::inner(exact, exact));
  EXPECT_LT(norm, 0.1);
  EXPECT_NEAR(std::sqrt(fast.squared_norms[0] - layer_check::kStart), norm, 1e-3 * norm);
}

}  // namespace
}  // namespace earshot
