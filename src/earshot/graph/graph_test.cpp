#include "earshot/graph/graph.hpp"

#include "earshot/graph/testing.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Graph triangle_with_tail() {
  const std::vector<Edge> edges = {{2, 1}, {0, 2}, {1, 0}, {2, 3}};
  return {4, edges, {"a", "b", "c", "d"}};
}

TEST(Graph, NeighboursAreSortedAndSymmetric) {
  const Graph graph = triangle_with_tail();
  EXPECT_EQ(graph.node_count(), 4U);
  EXPECT_EQ(graph.edge_count(), 4U);
  EXPECT_THAT(graph.neighbours(2), ElementsAre(0, 1, 3));
  EXPECT_THAT(graph.neighbours(3), ElementsAre(2));
  EXPECT_EQ(graph.max_degree(), 3U);
  EXPECT_THAT(graph.edges(), ElementsAre(Edge{0, 1}, Edge{0, 2}, Edge{1, 2}, Edge{2, 3}));
  EXPECT_TRUE(graph.has_edge(3, 2));
  EXPECT_FALSE(graph.has_edge(3, 1));
  EXPECT_EQ(graph.position(2, 3), 2U);
  EXPECT_EQ(graph.first_slot(3), 7U);
}

TEST(Graph, FindsNodesByName) {
  const Graph graph = triangle_with_tail();
  EXPECT_EQ(graph.find("c"), 2U);
  EXPECT_EQ(graph.find("0"), std::nullopt);
  EXPECT_EQ(graph.name(3), "d");
}

TEST(Graph, UnnamedNodesAreCalledByNumber) {
  const Graph graph(12, std::vector<Edge>{{0, 11}});
  EXPECT_EQ(graph.find("11"), 11U);
  EXPECT_EQ(graph.name(11), "11");
  for (const char* wrong : {"12", "-1", "01", "1x", "", "4294967296"})
    EXPECT_EQ(graph.find(wrong), std::nullopt) << wrong;
}

TEST(Graph, AnUnknownNameSuggestsTheNearest) {
  const Graph graph = testing::make_graph("florentine");
  const std::string message = testing::error_of(Fault::kUsage, [&] { graph.require("Medicii"); });
  EXPECT_THAT(message, HasSubstr("did you mean \"Medici\"?"));
  const std::string range = testing::error_of(Fault::kUsage, [] { Graph(3, {}).require("3"); });
  EXPECT_THAT(range, HasSubstr("0..2"));
}

TEST(Graph, RefusesWhatIsNoSimpleGraph) {
  const auto build = [](std::vector<Edge> edges, std::vector<std::string> names = {}) {
    return [=] { Graph(3, edges, names); };
  };
  testing::error_of(Fault::kInternal, build({{1, 1}}));
  testing::error_of(Fault::kInternal, build({{0, 1}, {1, 0}}));
  testing::error_of(Fault::kInternal, build({{0, 3}}));
  testing::error_of(Fault::kInternal, build({{0, 1}}, {"a", "b"}));
  testing::error_of(Fault::kInternal, build({{0, 1}}, {"a", "b", "a"}));
}

TEST(Graph, EmptyGraph) {
  EXPECT_EQ(Graph().node_count(), 0U);
  EXPECT_EQ(Graph(0, {}).edge_count(), 0U);
  EXPECT_EQ(Graph().max_degree(), 0U);
}

}  // namespace
}  // namespace earshot
