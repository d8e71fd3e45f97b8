#include <gmock/gmock.h>

#include "earshot/core/error.hpp"
#include "earshot/model/native/graph_test_patterns.hpp"

namespace earshot {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

std::size_t outputs_of(const GraphAttend& layer) {
  return layer.heads_join == Join::kAdd ? layer.width : layer.heads * layer.width;
}

PlacedLayer place_of(const GraphAttend& layer, std::size_t inputs) {
  const std::size_t all = layer.heads * layer.width, outputs = outputs_of(layer);
  const std::size_t skip = layer.skip && inputs != outputs ? inputs * outputs : 0;
  return at({inputs}, {outputs}, all * inputs + 2 * all + skip + (layer.bias ? outputs : 0));
}

void check(const GraphAttend& layer, LayerCase c) {
  c.name += " heads " + std::to_string(layer.heads);
  check_layer(c, [&](auto real) { return make_graph_attention<decltype(real)>(layer, c.place); });
}

/// Velickovic et al. 2018, eqs. (1)-(6), node by node, without any care for overflow.
MatrixXd node_by_node(const GraphAttend& layer, const MatrixXd& adjacency, const MatrixXd& features,
                      const std::vector<double>& parameters) {
  const auto nodes = features.rows(), inputs = features.cols();
  const auto heads = static_cast<Eigen::Index>(layer.heads), width = static_cast<Eigen::Index>(layer.width),
             outputs = static_cast<Eigen::Index>(outputs_of(layer));
  const double* next = parameters.data();
  const auto take = [&next](Eigen::Index rows, Eigen::Index columns) {
    const MatrixXd taken = as_matrix(next, static_cast<std::size_t>(rows), static_cast<std::size_t>(columns));
    next += rows * columns;
    return taken;
  };
  const MatrixXd weights = take(heads * width, inputs), source = take(heads, width),
                 target = take(heads, width);
  MatrixXd out = MatrixXd::Zero(nodes, outputs);
  for (Eigen::Index head = 0; head < heads; ++head) {
    const MatrixXd hidden = features * weights.middleRows(head * width, width).transpose();
    for (Eigen::Index i = 0; i < nodes; ++i) {
      VectorXd sum = VectorXd::Zero(width);
      double total = 0;
      for (Eigen::Index j = 0; j < nodes; ++j) {
        const double score = source.row(head).dot(hidden.row(i)) + target.row(head).dot(hidden.row(j));
        const double weight = (i == j ? 1 : adjacency(i, j)) * std::exp(score > 0 ? score : 0.2 * score);
        sum += weight * hidden.row(j).transpose();
        total += weight;
      }
      if (layer.heads_join == Join::kAdd)
        out.row(i) += (sum / total).transpose() / static_cast<double>(heads);
      else
        out.row(i).segment(head * width, width) = (sum / total).transpose();
    }
  }
  if (layer.skip)
    out += inputs == outputs ? features : MatrixXd(features * take(outputs, inputs).transpose());
  if (layer.bias) out.rowwise() += take(1, outputs).row(0);
  return out;
}

constexpr std::size_t kInputs = 4;
/// Both joins; skips that are none, the input itself (4 = 2 * 2 and 4 = 4) or a projection; bias or none.
class GraphAttention : public ::testing::TestWithParam<GraphAttend> {};
INSTANTIATE_TEST_SUITE_P(Forms, GraphAttention,
                         ::testing::Values(GraphAttend{1, 3, Join::kConcatenate, false, false},
                                           GraphAttend{2, 2, Join::kConcatenate, true, true},
                                           GraphAttend{3, 2, Join::kConcatenate, true, false},
                                           GraphAttend{2, 4, Join::kAdd, true, true},
                                           GraphAttend{3, 2, Join::kAdd, true, true},
                                           GraphAttend{2, 3, Join::kAdd, false, true}));

TEST_P(GraphAttention, KeepsTheLayerContract) {
  const PlacedLayer place = place_of(GetParam(), kInputs);
  const GraphPattern undirected = pattern_of(random_graph(7, 0.4, false, 1)),
                     directed = pattern_of(random_graph(6, 0.5, true, 2)),
                     complete = pattern_of(complete_graph(5));
  check(GetParam(), {.place = place, .rows = 7, .graph = &undirected, .spread = 0.7, .name = "undirected"});
  check(GetParam(),
        {.place = place, .count = 3, .rows = 6, .graph = &directed, .spread = 0.7, .name = "directed"});
  check(GetParam(), {.place = place,
                     .count = 3,
                     .rows = 6,
                     .shared = true,
                     .graph = &directed,
                     .spread = 0.7,
                     .name = "shared"});
  check(GetParam(), {.place = place,
                     .count = 2,
                     .rows = 6,
                     .graph = &directed,
                     .adjacency = soft_values(directed.edges(), false, 1),
                     .spread = 0.7,
                     .name = "one soft adjacency"});
  check(GetParam(), {.place = place,
                     .count = 3,
                     .rows = 5,
                     .shared = true,
                     .graph = &complete,
                     .adjacency = soft_values(3 * complete.edges(), true, 2),
                     .spread = 0.7,
                     .name = "a soft adjacency each"});
}

TEST_P(GraphAttention, IsTheFormulaNodeByNode) {
  const GraphPattern pattern = pattern_of(random_graph(9, 0.4, true, 3));
  const PlacedLayer place = place_of(GetParam(), kInputs);
  const LayerCase c{
      .place = place, .rows = 9, .graph = &pattern, .adjacency = soft_values(pattern.edges(), true, 3)};
  const LayerPoint point = layer_check::random_point(c, 9);
  const auto layer = make_graph_attention<double>(GetParam(), place);
  const MatrixXd expected = node_by_node(GetParam(), dense_adjacency(pattern, point.adjacency),
                                         as_matrix(point.in.data(), 9, kInputs), point.parameters);
  layer_check::expect_near(layer_check::run(*layer, c, point).out, as_rows(expected), 1e-12, "out");
}

TEST_P(GraphAttention, TakesZerosForNoEdgesAndNodesInAnyOrder) {
  const PlacedLayer place = place_of(GetParam(), kInputs);
  const auto layer = make_graph_attention<double>(GetParam(), place);
  expect_zeros_are_no_edges(*layer, place, random_graph(8, 0.4, true, 4));
  expect_equivariance(*layer, place, random_graph(8, 0.4, true, 5));
}

TEST(GraphAttentionEdges, IsolatedNodesAttendToThemselvesAndNoNodesGiveNothing) {
  const GraphPattern isolated = pattern_of(MatrixXd::Zero(3, 3)), none = pattern_of(MatrixXd::Zero(0, 0));
  const GraphAttend layer{2, 3, Join::kConcatenate, true, true};
  check(layer,
        {.place = place_of(layer, kInputs), .count = 2, .rows = 3, .graph = &isolated, .name = "isolated"});
  check(layer,
        {.place = place_of(layer, kInputs), .count = 2, .rows = 0, .graph = &none, .name = "no nodes"});
}

TEST(GraphAttentionEdges, HugeScoresDoNotOverflow) {
  // Scores of some thousands: attention goes to the best neighbour alone, and everything stays finite. An
  // absent neighbour (A_ij = 0) does not count, however large its score.
  const GraphPattern pattern = pattern_of(complete_graph(3));
  const GraphAttend form{1, 1, Join::kConcatenate, false, false};
  const PlacedLayer place = place_of(form, 1);
  const LayerCase c{.place = place, .rows = 3, .graph = &pattern};
  LayerPoint point = layer_check::random_point(c, 3);
  std::fill_n(point.parameters.begin(), 3, 1.0);
  point.in = {1000, 2000, 3000};
  const auto layer = make_graph_attention<double>(form, place);
  const LayerResult all = layer_check::run(*layer, c, point);
  EXPECT_THAT(all.out, ::testing::ElementsAre(3000, 3000, 3000));
  for (const auto* numbers : {&all.in_adjoint, &all.gradient, &all.out_tangent, &all.in_adjoint_tangent})
    for (const double number : *numbers) EXPECT_TRUE(std::isfinite(number));
  point.adjacency = {1, 0, 1, 0, 1, 1};  // node 2 is no neighbour of nodes 0 and 1
  const LayerResult some = layer_check::run(*layer, c, point);
  EXPECT_THAT(some.out, ::testing::ElementsAre(2000, 2000, 3000));
  for (const auto* numbers : {&some.in_adjoint, &some.gradient, &some.out_tangent, &some.in_adjoint_tangent})
    for (const double number : *numbers) EXPECT_TRUE(std::isfinite(number));
}

TEST(GraphAttentionEdges, RefusesAttentionThatSumsToNothing) {
  const GraphPattern pattern = pattern_of(complete_graph(2));
  const GraphAttend form{1, 1, Join::kConcatenate, false, false};
  const PlacedLayer place = place_of(form, 1);
  const auto layer = make_graph_attention<double>(form, place);
  for (const double value : {-1.0, -3.0, std::nan("")}) {
    const LayerCase c{.place = place, .rows = 2, .graph = &pattern, .adjacency = {value, 1}};
    LayerPoint point = layer_check::random_point(c, 2);
    point.in = {1, 1};
    EXPECT_THAT(
        [&] { layer_check::run(*layer, c, point); },
        ::testing::ThrowsMessage<Error>(::testing::HasSubstr("keep adjacency values between 0 and 1")));
  }
}

}  // namespace
}  // namespace earshot
