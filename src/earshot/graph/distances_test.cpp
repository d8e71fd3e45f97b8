#include "earshot/core/parallel.hpp"
#include "earshot/graph/spectrum.hpp"
#include "earshot/graph/testing.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;

/// Oracle: all distances at once by Floyd and Warshall.
std::vector<std::vector<std::size_t>> all_distances(const Graph& graph, std::size_t far) {
  const std::size_t nodes = graph.node_count();
  std::vector<std::vector<std::size_t>> d(nodes, std::vector<std::size_t>(nodes, far));
  for (std::size_t i = 0; i < nodes; ++i) d[i][i] = 0;
  for (const auto& [a, b] : graph.edges()) d[a][b] = d[b][a] = 1;
  for (std::size_t k = 0; k < nodes; ++k) {
    for (std::size_t i = 0; i < nodes; ++i) {
      for (std::size_t j = 0; j < nodes; ++j) d[i][j] = std::min(d[i][j], d[i][k] + d[k][j]);
    }
  }
  return d;
}

TEST(Distances, MatchFloydWarshall) {
  constexpr std::size_t kFar = 1000;
  auto graphs = testing::sample_graphs();
  graphs.emplace_back("cut", testing::make_graph("erdos_renyi", {{"p", 0.03}, {"connected", false}}));
  for (const auto& [name, graph] : graphs) {
    const auto expected = all_distances(graph, kFar);
    std::size_t longest = 0;
    for (NodeId source = 0; source < graph.node_count(); ++source) {
      const auto hops = hop_distances(graph, source);
      for (NodeId to = 0; to < graph.node_count(); ++to) {
        EXPECT_EQ(hops[to].value_or(kFar), std::min(kFar, expected[source][to])) << name;
        longest = std::max(longest, expected[source][to]);
      }
    }
    EXPECT_EQ(is_connected(graph), longest < kFar) << name;
    EXPECT_EQ(diameter(graph), longest < kFar ? std::optional(longest) : std::nullopt) << name;
  }
}

TEST(Distances, KnownDiameters) {
  EXPECT_EQ(diameter(testing::make_graph("line", {{"nodes", 30}})), 29U);
  EXPECT_EQ(diameter(testing::make_graph("ring", {{"nodes", 1001}})), 500U);
  EXPECT_EQ(diameter(testing::make_graph("hypercube", {{"dimension", 7}})), 7U);
  EXPECT_EQ(diameter(testing::make_graph("torus", {{"rows", 6}, {"columns", 8}})), 7U);
  EXPECT_EQ(diameter(testing::make_graph("star")), 2U);
  EXPECT_EQ(diameter(testing::make_graph("line", {{"nodes", 1}})), 0U);
  EXPECT_EQ(diameter(Graph()), std::nullopt);
}

TEST(Components, LargestFirstTiesBySmallestNode) {
  const Graph graph(8, std::vector<Edge>{{6, 7}, {1, 4}, {4, 5}, {0, 2}});
  EXPECT_THAT(connected_components(graph),
              ElementsAre(ElementsAre(1, 4, 5), ElementsAre(0, 2), ElementsAre(6, 7), ElementsAre(3)));
}

TEST(Components, SubgraphKeepsNamesAndInnerEdges) {
  const Graph karate = testing::make_graph("karate");
  const Graph part = induced_subgraph(karate, {0, 1, 2, 33});
  EXPECT_EQ(part.name(3), "34");
  EXPECT_THAT(part.edges(), ElementsAre(Edge{0, 1}, Edge{0, 2}, Edge{1, 2}));
  const Graph unnamed = induced_subgraph(testing::make_graph("ring"), {4, 5});
  EXPECT_EQ(unnamed.name(1), "5");
}

}  // namespace
}  // namespace earshot
