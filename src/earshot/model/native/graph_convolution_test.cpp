#include <gmock/gmock.h>

#include "earshot/core/error.hpp"
#include "earshot/model/native/graph_test_patterns.hpp"

namespace earshot {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

PlacedLayer place_of(const GraphConvolve& layer, std::size_t inputs) {
  return at({inputs}, {layer.outputs}, layer.outputs * (inputs + layer.bias));
}

void check(const GraphConvolve& layer, LayerCase c) {
  check_layer(c, [&](auto real) { return make_graph_convolution<decltype(real)>(layer, c.place); });
}

/// Kipf & Welling 2017, eq. (2), with dense matrices.
MatrixXd dense_formula(const MatrixXd& adjacency, const MatrixXd& features, const MatrixXd& weights,
                       const VectorXd& bias) {
  const MatrixXd looped = adjacency + MatrixXd::Identity(adjacency.rows(), adjacency.cols());
  const MatrixXd scale = looped.rowwise().sum().cwiseSqrt().cwiseInverse().asDiagonal();
  return (scale * looped * scale * features * weights.transpose()).rowwise() + bias.transpose();
}

/// Narrowing layers project first, widening ones average first.
class GraphConvolution : public ::testing::TestWithParam<GraphConvolve> {};
INSTANTIATE_TEST_SUITE_P(Orders, GraphConvolution,
                         ::testing::Values(GraphConvolve{2, false}, GraphConvolve{2, true},
                                           GraphConvolve{4, true}, GraphConvolve{6, false},
                                           GraphConvolve{6, true}));

TEST_P(GraphConvolution, KeepsTheLayerContract) {
  const PlacedLayer place = place_of(GetParam(), 4);
  const GraphPattern undirected = pattern_of(random_graph(7, 0.4, false, 1)),
                     directed = pattern_of(random_graph(6, 0.5, true, 2)),
                     complete = pattern_of(complete_graph(5));
  check(GetParam(), {.place = place, .rows = 7, .graph = &undirected, .name = "undirected"});
  check(GetParam(), {.place = place, .count = 3, .rows = 6, .graph = &directed, .name = "directed"});
  check(GetParam(),
        {.place = place, .count = 3, .rows = 6, .shared = true, .graph = &directed, .name = "shared"});
  check(GetParam(), {.place = place,
                     .count = 2,
                     .rows = 6,
                     .graph = &directed,
                     .adjacency = soft_values(directed.edges(), false, 1),
                     .name = "one soft adjacency"});
  check(GetParam(), {.place = place,
                     .count = 3,
                     .rows = 5,
                     .shared = true,
                     .graph = &complete,
                     .adjacency = soft_values(3 * complete.edges(), true, 2),
                     .name = "a soft adjacency each"});
}

TEST_P(GraphConvolution, IsTheDenseFormula) {
  const GraphPattern pattern = pattern_of(random_graph(9, 0.4, true, 3));
  const PlacedLayer place = place_of(GetParam(), 4);
  const LayerCase c{
      .place = place, .rows = 9, .graph = &pattern, .adjacency = soft_values(pattern.edges(), true, 3)};
  const LayerPoint point = layer_check::random_point(c, 9);
  const auto layer = make_graph_convolution<double>(GetParam(), place);
  const std::size_t outputs = GetParam().outputs;
  VectorXd bias = VectorXd::Zero(static_cast<Eigen::Index>(outputs));
  if (GetParam().bias) bias = as_matrix(point.parameters.data() + 4 * outputs, outputs, 1);
  const MatrixXd expected =
      dense_formula(dense_adjacency(pattern, point.adjacency), as_matrix(point.in.data(), 9, 4),
                    as_matrix(point.parameters.data(), outputs, 4), bias);
  layer_check::expect_near(layer_check::run(*layer, c, point).out, as_rows(expected), 1e-13, "out");
}

TEST_P(GraphConvolution, TakesZerosForNoEdgesAndNodesInAnyOrder) {
  const PlacedLayer place = place_of(GetParam(), 4);
  const auto layer = make_graph_convolution<double>(GetParam(), place);
  expect_zeros_are_no_edges(*layer, place, random_graph(8, 0.4, true, 4));
  expect_equivariance(*layer, place, random_graph(8, 0.4, true, 5));
}

TEST(GraphConvolutionByHand, AveragesTwoNodes) {
  // Every weight of N on a single edge is 1/2: both nodes get the mean of 1 and 3, times 10.
  const GraphPattern pattern = pattern_of(complete_graph(2));
  const GraphConvolve layer{1, false};
  const auto native = make_graph_convolution<double>(layer, place_of(layer, 1));
  const std::vector<double> in = {1, 3}, weight = {10};
  std::vector<double> out(2);
  Call<double> call;
  call.rows = 2;
  call.graph = &pattern;
  LayerState<double> state;
  state.in = in.data();
  state.parameters = {weight.data(), 0};
  native->forward(call, state, out.data());
  EXPECT_THAT(out,
              ::testing::ElementsAre(::testing::DoubleNear(20, 1e-12), ::testing::DoubleNear(20, 1e-12)));
}

TEST(GraphConvolutionByHand, IsDenseOnIsolatedNodesAndEmptyOnNone) {
  const GraphPattern isolated = pattern_of(MatrixXd::Zero(3, 3)), none = pattern_of(MatrixXd::Zero(0, 0));
  check({2, true},
        {.place = place_of({2, true}, 4), .count = 2, .rows = 3, .graph = &isolated, .name = "isolated"});
  check({6, true},
        {.place = place_of({6, true}, 4), .count = 2, .rows = 0, .graph = &none, .name = "no nodes"});
  const PlacedLayer place = place_of({2, false}, 4);
  const LayerCase c{.place = place, .rows = 3, .graph = &isolated};
  const LayerPoint point = layer_check::random_point(c, 3);
  const auto layer = make_graph_convolution<double>({2, false}, place);
  const MatrixXd expected =
      as_matrix(point.in.data(), 3, 4) * as_matrix(point.parameters.data(), 2, 4).transpose();
  layer_check::expect_near(layer_check::run(*layer, c, point).out, as_rows(expected), 1e-13, "out");
}

TEST(GraphConvolutionByHand, RefusesRowsThatSumToNothing) {
  const GraphPattern pattern = pattern_of(complete_graph(2));
  const PlacedLayer place = place_of({2, false}, 4);
  const auto layer = make_graph_convolution<double>({2, false}, place);
  for (const double value : {-1.0, -3.0, std::nan("")}) {
    const LayerCase c{.place = place, .rows = 2, .graph = &pattern, .adjacency = {value, 1}};
    const LayerPoint point = layer_check::random_point(c, 2);
    EXPECT_THAT(
        [&] { layer_check::run(*layer, c, point); },
        ::testing::ThrowsMessage<Error>(::testing::HasSubstr("keep adjacency values between 0 and 1")));
  }
}

}  // namespace
}  // namespace earshot
