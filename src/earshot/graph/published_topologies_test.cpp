#include <gmock/gmock.h>

#include "earshot/graph/edge_list.hpp"
#include "earshot/graph/spectrum.hpp"
#include "earshot/graph/testing.hpp"

namespace earshot {
namespace {

using ::testing::HasSubstr;

TEST(PublishedTopologies, Florentine) {
  const Graph graph = testing::make_graph("florentine");
  EXPECT_EQ(graph.node_count(), 15U);
  EXPECT_EQ(graph.edge_count(), 20U);
  EXPECT_EQ(diameter(graph), 5U);
  EXPECT_EQ(graph.degree(graph.require("Medici")), 6U);
  EXPECT_FALSE(graph.find("Pucci"));
}

TEST(PublishedTopologies, Karate) {
  const Graph graph = testing::make_graph("karate");
  EXPECT_EQ(graph.node_count(), 34U);
  EXPECT_EQ(graph.edge_count(), 78U);
  EXPECT_EQ(diameter(graph), 5U);
  EXPECT_EQ(graph.name(0), "1");
  EXPECT_EQ(graph.degree(graph.require("34")), 17U);
  EXPECT_EQ(graph.degree(graph.require("1")), 16U);
  std::size_t triangles = 0;  // 45, well known
  for (const auto& [a, b] : graph.edges()) {
    for (const NodeId c : graph.neighbours(b)) triangles += c > b && graph.has_edge(a, c) ? 1 : 0;
  }
  EXPECT_EQ(triangles, 45U);
}

TEST(PublishedTopologies, GossipAttackExample) {
  const Graph graph = testing::make_graph("gossip_attack_example");
  EXPECT_EQ(graph.node_count(), 12U);
  EXPECT_EQ(graph.edge_count(), 14U);
  EXPECT_THAT(graph.neighbours(1), ::testing::ElementsAre(2, 5, 7, 8));
  for (NodeId node = 0; node < 12; ++node) EXPECT_EQ(graph.name(node), std::to_string(node));
}

struct Ego {
  int id;
  std::size_t nodes, edges, diameter;
};

void require_data() {
  if (std::filesystem::exists(testing::data_directory() / "facebook-ego" / "414.edges")) return;
  const char* required = std::getenv("EARSHOT_REQUIRE_DATA");
  if (required != nullptr && std::string_view(required) == "1")
    FAIL() << "EARSHOT_DATA has no facebook-ego/414.edges";
  GTEST_SKIP() << "needs facebook-ego in EARSHOT_DATA";
}

TEST(FacebookEgo, LargestParts) {
  require_data();
  if (IsSkipped() || HasFatalFailure()) return;
  for (const Ego& ego : {Ego{0, 324, 2514, 11}, Ego{348, 224, 3192, 9}, Ego{414, 148, 1692, 7},
                         Ego{686, 168, 1656, 6}, Ego{698, 40, 220, 4}, Ego{3980, 44, 138, 5}}) {
    const Graph graph = testing::make_graph("facebook_ego", {{"ego", ego.id}});
    EXPECT_EQ(graph.node_count(), ego.nodes) << ego.id;
    EXPECT_EQ(graph.edge_count(), ego.edges) << ego.id;
    EXPECT_EQ(diameter(graph), ego.diameter) << ego.id;
    EXPECT_FALSE(graph.find(std::to_string(ego.id))) << "the ego itself is not in its file";
  }
}

TEST(FacebookEgo, EveryEdgeIsListedTwice) {
  require_data();
  if (IsSkipped() || HasFatalFailure()) return;
  const EdgeList list = read_edge_list(testing::data_directory() / "facebook-ego" / "698.edges",
                                       {.disconnected = OnDisconnected::kKeep});
  EXPECT_EQ(list.report.listed, 2 * list.graph.edge_count());
  EXPECT_EQ(list.report.duplicates, list.graph.edge_count());
}

TEST(FacebookEgo, RefusesUnknownEgosAndMissingFiles) {
  EXPECT_THAT(testing::error_of(Fault::kConfig,
                                [] {
                                  testing::make_graph("facebook_ego", {{"ego", 5}});
                                }),
              HasSubstr("allowed: 0, 107, 348"));
  const GraphComponent& component = testing::component(graph_components(), "facebook_ego");
  Stream stream = testing::test_stream();
  EXPECT_THAT(testing::error_of(Fault::kData,
                                [&] {
                                  component.make(valid_settings(component.schema, Json::object(), ""), stream,
                                                 {"no-such-directory", "."});
                                }),
              HasSubstr("414.edges: not found"));
}

}  // namespace
}  // namespace earshot
