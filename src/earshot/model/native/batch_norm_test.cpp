#include <array>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/model/native/layer_check.hpp"

namespace earshot {
namespace {

constexpr std::array<double, 6> kBuffers{0.5, -1, 2, 0.25, 4, 1.5};  // means, variances of three channels

PlacedLayer place_of(Shape shape) {
  return at(shape, shape, 2 * shape.channels);
}

template <class Real>
LayerPointer<Real> make(const BatchNorm& layer, Shape shape) {
  return make_batch_norm<Real>(layer, place_of(shape), kBuffers.data());
}

TEST(BatchNormalisation, KeepsItsContract) {
  for (const Shape shape : {Shape{3, 1, 1}, Shape{3, 2, 3}, Shape{3, 1, 5}}) {
    for (const bool shared : {false, true}) {
      for (const bool frozen : {false, true}) {
        for (const bool predicting : {false, true}) {
          const BatchNorm layer{.frozen = frozen, .epsilon = 1e-2};
          check_layer({.place = place_of(shape),
                       .count = 2,
                       .rows = 4,
                       .shared = shared,
                       .predicting = predicting,
                       .name = std::string(frozen ? "frozen" : "batch") + (predicting ? ", predicting" : "")},
                      [&](auto real) { return make<decltype(real)>(layer, shape); });
        }
      }
    }
  }
}

/// One record is enough if its planes have several cells.
TEST(BatchNormalisation, OneRecordOfSeveralCells) {
  check_layer({.place = place_of({3, 2, 2}), .count = 3, .rows = 1}, [](auto real) {
    return make<decltype(real)>({}, {3, 2, 2});
  });
}

TEST(BatchNormalisation, MixesRowsOnlyWithBatchStatistics) {
  EXPECT_TRUE(make<double>({.frozen = false}, {3})->mixes_rows());
  EXPECT_FALSE(make<double>({.frozen = true}, {3})->mixes_rows());
}

/// With gamma 1 and beta 0 every channel of every problem comes out with mean 0 and variance v / (v +
/// epsilon), whatever its scale and offset.
TEST(BatchNormalisation, StandardisesEachChannelOfEachProblem) {
  const Shape shape{3, 2, 2};
  const LayerCase c{.place = place_of(shape), .count = 2, .rows = 5};
  LayerPoint point = layer_check::random_point(c, c.rows);
  for (std::size_t i = 0; i < point.in.size(); ++i) {
    const std::size_t channel = i / 4 % 3, problem = i / 60;
    point.in[i] =
        100.0 * static_cast<double>(channel) + std::pow(10.0, static_cast<double>(problem)) * point.in[i];
  }
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t p = 0; p < 6; ++p) {
      point.parameters[k * layer_check::parameter_stride(c) + p] = p < 3 ? 1 : 0;
    }
  }
  const double epsilon = 0.5;
  const auto layer = make<double>({.frozen = false, .epsilon = epsilon}, shape);
  const std::vector<double> out = layer_check::run(*layer, c, point).out;
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t channel = 0; channel < 3; ++channel) {
      double sum = 0, squares = 0, in_sum = 0, in_squares = 0;
      for (std::size_t i = 60 * k; i < 60 * (k + 1); ++i) {
        if (i / 4 % 3 != channel) continue;
        sum += out[i];
        squares += out[i] * out[i];
        in_sum += point.in[i];
        in_squares += point.in[i] * point.in[i];
      }
      const double variance = in_squares / 20 - in_sum / 20 * in_sum / 20;
      EXPECT_NEAR(sum / 20, 0, 1e-12);
      EXPECT_NEAR(squares / 20, variance / (variance + epsilon), 1e-9);
    }
  }
}

/// Two records 0 and 2 h: mean h, biased variance h^2; adding a constant to all inputs or scaling them
/// (epsilon 0) changes nothing, so the backward signal is orthogonal to 1 and, for epsilon 0, to the input.
TEST(BatchNormalisation, ByHand) {
  const std::array<double, 2> in{1, 5}, parameters{3, 10}, adjoint{1, 0};
  std::array<double, 2> out{}, in_adjoint{}, gradient{};
  const double epsilon = 12;  // variance 4, standard deviation with epsilon 4
  const auto layer = make<double>({.frozen = false, .epsilon = epsilon}, {1});
  LayerState<double> state;
  state.in = in.data();
  state.parameters = {parameters.data(), 0};
  const Call<double> call{.count = 1, .rows = 2};
  layer->forward(call, state, out.data());
  EXPECT_THAT(out, ::testing::ElementsAre(8.5, 11.5));  // 10 -+ 3 * 2 / 4
  state.out_adjoint = adjoint.data();
  layer->backward(call, state, in_adjoint.data());
  // y_1 = 10 + 3 (x_1 - x_2) / 2 / sqrt((x_1 - x_2)^2 / 4 + 12): slope 3/2 * 12 / 16^(3/2) in x_1.
  EXPECT_NEAR(in_adjoint[0], 1.5 * 12 / 64, 1e-15);
  EXPECT_NEAR(in_adjoint[1], -1.5 * 12 / 64, 1e-15);
  layer->parameter_gradient(call, state, {gradient.data(), 2});
  EXPECT_THAT(gradient, ::testing::ElementsAre(-0.5, 1));
}

TEST(BatchNormalisation, FixedStatisticsAreAnAffineMap) {
  for (const bool frozen : {false, true}) {
    const std::array<double, 3> in{1, 1, 1};
    const std::array<double, 6> parameters{1, 2, 3, 0.5, 0, -1};
    std::array<double, 3> out{};
    LayerState<double> state;
    state.in = in.data();
    state.parameters = {parameters.data(), 0};
    const auto layer = make<double>({.frozen = frozen, .epsilon = 0}, {3});
    layer->forward({.count = 1, .rows = 1, .predicting = !frozen}, state, out.data());
    EXPECT_DOUBLE_EQ(out[0], 1.5);                      // 1 * 0.5 / 0.5 + 0.5
    EXPECT_DOUBLE_EQ(out[1], 2);                        // 2 * 2 / 2
    EXPECT_DOUBLE_EQ(out[2], -1 - 3 / std::sqrt(1.5));  // 3 * -1 / sqrt(1.5) - 1
  }
}

TEST(BatchNormalisation, ReadsItsBuffersAtEveryCall) {
  std::array<double, 2> buffers{0, 1};
  const auto layer = make_batch_norm<double>({.frozen = true, .epsilon = 0}, place_of({1}), buffers.data());
  const std::array<double, 1> in{3};
  const std::array<double, 2> parameters{1, 0};
  double out = 0;
  LayerState<double> state;
  state.in = in.data();
  state.parameters = {parameters.data(), 0};
  layer->forward({.count = 1, .rows = 1}, state, &out);
  EXPECT_EQ(out, 3);
  buffers = {1, 4};
  layer->forward({.count = 1, .rows = 1}, state, &out);
  EXPECT_EQ(out, 1);
}

TEST(BatchNormalisation, ObservesWithUnbiasedVariance) {
  const std::array<double, 8> in{1,  2,  3,  4,
                                 10, 10, 10, 14};  // two problems of one row, two channels of two cells
  LayerState<double> state;
  state.in = in.data();
  std::array<double, 4> buffers{0, 1, 1, 2};
  const Call<double> call{.count = 2, .rows = 1};
  const PlacedLayer place = place_of({2, 1, 2});
  make_batch_norm<double>({}, place, buffers.data())->observe(call, state, 0.25, buffers.data());
  // Channel 0: 1 2 10 10, mean 5.75, squared deviations 72.75; channel 1: 3 4 10 14, 7.75, 80.75.
  EXPECT_NEAR(buffers[0], 0.25 * 5.75, 1e-15);
  EXPECT_NEAR(buffers[1], 0.75 + 0.25 * 7.75, 1e-15);
  EXPECT_NEAR(buffers[2], 0.75 + 0.25 * 72.75 / 3, 1e-14);
  EXPECT_NEAR(buffers[3], 1.5 + 0.25 * 80.75 / 3, 1e-14);

  std::array<double, 4> frozen{0, 1, 1, 2};
  make_batch_norm<double>({.frozen = true}, place, frozen.data())->observe(call, state, 0.25, frozen.data());
  EXPECT_THAT(frozen, ::testing::ElementsAre(0, 1, 1, 2));
}

TEST(BatchNormalisation, RefusesStatisticsOfOneCell) {
  const std::array<double, 3> in{1, 2, 3};
  const std::array<double, 6> parameters{1, 1, 1, 0, 0, 0};
  std::array<double, 6> buffers{};
  std::array<double, 3> out{};
  LayerState<double> state;
  state.in = in.data();
  state.parameters = {parameters.data(), 0};
  const Call<double> call{.count = 1, .rows = 1};
  const auto layer = make<double>({}, {3});
  EXPECT_THROW(layer->forward(call, state, out.data()), Error);
  EXPECT_THROW(layer->observe(call, state, 0.1, buffers.data()), Error);
}

TEST(BatchNormalisation, AnEmptyBatchHasGradientZero) {
  const LayerCase c{.place = place_of({3, 2, 2}), .count = 2, .rows = 0};
  const auto layer = make<double>({}, {3, 2, 2});
  const LayerResult result = layer_check::run(*layer, c, layer_check::random_point(c, 0));
  EXPECT_THAT(layer_check::total_gradient(c, result), ::testing::Each(0));
}

}  // namespace
}  // namespace earshot
