#include <gmock/gmock.h>

#include "earshot/model/native/graph_test_patterns.hpp"

namespace earshot {
namespace {

GraphPattern three_graphs(std::vector<std::size_t> starts) {
  const auto nodes = static_cast<Eigen::Index>(starts.back());
  return pattern_of(Eigen::MatrixXd::Zero(nodes, nodes), starts);
}

std::vector<double> read(ReadOutKind kind, const GraphPattern& pattern, const std::vector<double>& in) {
  const std::size_t width = in.size() / pattern.nodes;
  const PlacedLayer place = at({width}, {width}, 0);
  const LayerCase c{.place = place, .rows = pattern.nodes, .graph = &pattern};
  LayerPoint point = layer_check::random_point(c, pattern.graphs());
  point.in = in;
  return layer_check::run(*make_read_out<double>({kind}, place), c, point).out;
}

TEST(ReadOut, GivesOneRowPerGraph) {
  const GraphPattern pattern = three_graphs({0, 1, 4});
  const std::vector<double> nodes = {1, -1, /**/ 2, 5, 4, -2, -3, 0};
  EXPECT_THAT(read(ReadOutKind::kMean, pattern, nodes), ::testing::ElementsAre(1, -1, 1, 1));
  EXPECT_THAT(read(ReadOutKind::kSum, pattern, nodes), ::testing::ElementsAre(1, -1, 3, 3));
  EXPECT_THAT(read(ReadOutKind::kMax, pattern, nodes), ::testing::ElementsAre(1, -1, 4, 5));
}

TEST(ReadOut, DoesNotDependOnTheOrderOfAGraphsNodes) {
  const GraphPattern pattern = three_graphs({0, 2, 5});
  const std::vector<double> nodes = {1, 2, 3, 4, /**/ 5, 9, 7, 6, 8, 5};
  const std::vector<double> other = reordered(nodes, 2, {1, 0, 4, 2, 3});
  for (const ReadOutKind kind : {ReadOutKind::kMean, ReadOutKind::kSum, ReadOutKind::kMax})
    EXPECT_EQ(read(kind, pattern, nodes), read(kind, pattern, other));
}

TEST(ReadOut, KeepsTheLayerContract) {
  const GraphPattern pattern = three_graphs({0, 3, 3, 4, 8}), none = three_graphs({0});
  for (const ReadOutKind kind : {ReadOutKind::kMean, ReadOutKind::kSum, ReadOutKind::kMax}) {
    const PlacedLayer place = at({5}, {5}, 0);
    const auto make = [&](auto real) { return make_read_out<decltype(real)>({kind}, place); };
    check_layer({.place = place, .rows = 8, .graph = &pattern, .name = "one problem"}, make);
    check_layer({.place = place, .count = 3, .rows = 8, .graph = &pattern, .name = "three problems"}, make);
    check_layer({.place = place, .count = 2, .rows = 0, .graph = &none, .name = "no graphs"}, make);
  }
}

TEST(ReadOut, ReadsZeroFromAGraphWithoutNodes) {
  const GraphPattern pattern = three_graphs({0, 2, 2});
  for (const ReadOutKind kind : {ReadOutKind::kMean, ReadOutKind::kSum, ReadOutKind::kMax})
    EXPECT_EQ(read(kind, pattern, {7, 7}).at(1), 0);
}

TEST(ReadOut, TheFirstNodeOfATieTakesTheGradient) {
  const GraphPattern pattern = three_graphs({0, 3});
  const PlacedLayer place = at({1}, {1}, 0);
  const LayerCase c{.place = place, .rows = 3, .graph = &pattern};
  LayerPoint point = layer_check::random_point(c, 1);
  point.in = {1, 4, 4};
  point.out_adjoint = {2};
  EXPECT_THAT(layer_check::run(*make_read_out<double>({ReadOutKind::kMax}, place), c, point).in_adjoint,
              ::testing::ElementsAre(0, 2, 0));
}

}  // namespace
}  // namespace earshot
