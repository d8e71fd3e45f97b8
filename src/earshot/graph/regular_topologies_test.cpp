#include "earshot/graph/spectrum.hpp"
#include "earshot/graph/testing.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Topologies, EveryNameIsDescribedAndConnected) {
  std::vector<std::string> names;
  for (const GraphComponent& one : graph_components()) {
    names.push_back(one.schema.name);
    EXPECT_EQ(one.schema.role, "graph");
    EXPECT_FALSE(one.schema.summary.empty()) << one.schema.name;
    EXPECT_FALSE(one.schema.reference.empty()) << one.schema.name;
    for (const Parameter& parameter : one.schema.parameters)
      EXPECT_FALSE(parameter.help.empty()) << one.schema.name;
  }
  EXPECT_THAT(names, ElementsAre("line", "ring", "star", "complete", "grid", "torus", "hypercube",
                                 "binary_tree", "exponential", "erdos_renyi", "random_geometric",
                                 "watts_strogatz", "barabasi_albert", "florentine", "karate",
                                 "gossip_attack_example", "facebook_ego", "file"));
  for (const auto& [name, graph] : testing::sample_graphs()) {
    EXPECT_TRUE(is_connected(graph)) << name;
    std::size_t degrees = 0;
    for (NodeId node = 0; node < graph.node_count(); ++node) degrees += graph.degree(node);
    EXPECT_EQ(degrees, 2 * graph.edge_count()) << name;
  }
}

TEST(Topologies, EdgeCounts) {
  const auto edges = [](const char* name, const Json& given) {
    return testing::make_graph(name, given).edge_count();
  };
  for (const int n : {3, 4, 17}) {
    const auto count = static_cast<std::size_t>(n);
    EXPECT_EQ(edges("line", {{"nodes", n}}), count - 1);
    EXPECT_EQ(edges("ring", {{"nodes", n}}), count);
    EXPECT_EQ(edges("star", {{"nodes", n}}), count - 1);
    EXPECT_EQ(edges("complete", {{"nodes", n}}), count * (count - 1) / 2);
    EXPECT_EQ(edges("binary_tree", {{"nodes", n}}), count - 1);
  }
  EXPECT_EQ(edges("grid", {{"rows", 4}, {"columns", 7}}), 4U * 6 + 3 * 7);
  EXPECT_EQ(edges("torus", {{"rows", 4}, {"columns", 7}}), 2U * 28);
  EXPECT_EQ(edges("hypercube", {{"dimension", 6}}), 6U * 32);
  EXPECT_EQ(edges("hypercube", {{"dimension", 0}}), 0U);
  EXPECT_EQ(edges("line", {{"nodes", 1}}), 0U);
}

TEST(Topologies, RegularGraphsAreRegular) {
  const auto expect_degree = [](const char* name, const Json& given, std::size_t degree) {
    const Graph graph = testing::make_graph(name, given);
    for (NodeId node = 0; node < graph.node_count(); ++node) EXPECT_EQ(graph.degree(node), degree) << name;
  };
  expect_degree("ring", {{"nodes", 9}}, 2);
  expect_degree("torus", {{"rows", 3}, {"columns", 5}}, 4);
  expect_degree("grid", {{"rows", 3}, {"columns", 5}, {"torus", true}}, 4);
  expect_degree("hypercube", {{"dimension", 5}}, 5);
  // Hops 1, 2, 4, 8 of 16: 8 leads to the same node both ways.
  expect_degree("exponential", {{"nodes", 16}}, 7);
  expect_degree("exponential", {{"nodes", 3}}, 2);
}

TEST(Topologies, ExponentialIsLinkedByPowersOfTwo) {
  const Graph graph = testing::make_graph("exponential", {{"nodes", 20}});
  for (NodeId a = 0; a < 20; ++a) {
    for (NodeId b = 0; b < 20; ++b) {
      const unsigned forward = (b + 20 - a) % 20;
      const auto power = [](unsigned hop) {
        return hop == 1 || hop == 2 || hop == 4 || hop == 8 || hop == 16;
      };
      EXPECT_EQ(graph.has_edge(a, b), a != b && (power(forward) || power((20 - forward) % 20)));
    }
  }
}

TEST(Topologies, GridAndTorusNeighbours) {
  const Graph grid = testing::make_graph("grid", {{"rows", 3}, {"columns", 4}});
  EXPECT_THAT(grid.neighbours(5), ElementsAre(1, 4, 6, 9));
  EXPECT_THAT(grid.neighbours(0), ElementsAre(1, 4));
  const Graph torus = testing::make_graph("torus", {{"rows", 3}, {"columns", 4}});
  EXPECT_THAT(torus.neighbours(0), ElementsAre(1, 3, 4, 8));
}

TEST(Topologies, ATorusTooSmallIsRefused) {
  const std::string message = testing::error_of(Fault::kConfig, [] {
    testing::make_graph("grid", {{"rows", 2}, {"torus", true}});
  });
  EXPECT_THAT(message, HasSubstr("at least 3 rows"));
}

}  // namespace
}  // namespace earshot
