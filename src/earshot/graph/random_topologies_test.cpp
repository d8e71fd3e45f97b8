#include <cmath>

#include "earshot/graph/spectrum.hpp"
#include "earshot/graph/testing.hpp"

namespace earshot {
namespace {

using ::testing::HasSubstr;

const std::vector<std::pair<const char*, Json>>& random_recipes() {
  static const std::vector<std::pair<const char*, Json>> recipes = {
      {"erdos_renyi", {{"nodes", 40}, {"p", 0.15}}},
      {"random_geometric", {{"nodes", 40}, {"radius", 0.35}}},
      {"watts_strogatz", {{"nodes", 40}, {"rewire", 0.3}}},
      {"barabasi_albert", {{"nodes", 40}}},
  };
  return recipes;
}

TEST(RandomTopologies, SameStreamSameGraphOtherTrialOtherGraph) {
  for (const auto& [name, given] : random_recipes()) {
    EXPECT_TRUE(testing::component(graph_components(), name).random) << name;
    const Graph first = testing::make_graph(name, given, 1);
    EXPECT_EQ(testing::make_graph(name, given, 1).edges(), first.edges()) << name;
    EXPECT_NE(testing::make_graph(name, given, 2).edges(), first.edges()) << name;
  }
}

TEST(RandomTopologies, ConnectedOnRequest) {
  for (const auto& [name, given] : random_recipes()) {
    for (std::uint64_t trial = 0; trial < 50; ++trial)
      EXPECT_TRUE(is_connected(testing::make_graph(name, given, trial))) << name;
  }
}

TEST(ErdosRenyi, EdgeCountIsBinomial) {
  // 400 graphs of 300 pairs each with p = 0.1: the total is Binomial(120000, 0.1), mean 12000, standard
  // deviation 104. Five of them bound the false alarms at 6e-7.
  double total = 0;
  for (std::uint64_t trial = 0; trial < 400; ++trial)
    total += static_cast<double>(
        testing::make_graph("erdos_renyi", {{"nodes", 25}, {"p", 0.1}, {"connected", false}}, trial)
            .edge_count());
  EXPECT_NEAR(total, 12000, 5 * std::sqrt(120000 * 0.1 * 0.9));
}

TEST(ErdosRenyi, EveryPairIsEquallyLikely) {
  // Each of 45 pairs is present in Binomial(2000, 0.3) graphs, standard deviation 20.5. Six of them on 45
  // pairs: false alarms below 1e-7. Neighbouring pairs must be independent: checked on (0,1) with (0,2).
  std::vector<double> present(45, 0);
  double both = 0;
  for (std::uint64_t trial = 0; trial < 2000; ++trial) {
    const Graph graph =
        testing::make_graph("erdos_renyi", {{"nodes", 10}, {"p", 0.3}, {"connected", false}}, trial);
    std::size_t pair = 0;
    for (NodeId a = 0; a < 10; ++a) {
      for (NodeId b = a + 1; b < 10; ++b) present[pair++] += graph.has_edge(a, b) ? 1 : 0;
    }
    both += graph.has_edge(0, 1) && graph.has_edge(0, 2) ? 1 : 0;
  }
  for (const double count : present) EXPECT_NEAR(count, 600, 6 * 20.5);
  EXPECT_NEAR(both, 180, 6 * std::sqrt(2000 * 0.09 * 0.91));
}

TEST(ErdosRenyi, ConditioningMatchesTheExactLaw) {
  // On 3 nodes with p = 1/2 the connected graphs are three paths and the triangle, equally likely: the
  // triangle share of 2000 draws is 500 with standard deviation 19.4; six of them: false alarms 2e-9.
  std::size_t triangles = 0;
  for (std::uint64_t trial = 0; trial < 2000; ++trial)
    triangles +=
        testing::make_graph("erdos_renyi", {{"nodes", 3}, {"p", 0.5}}, trial).edge_count() == 3 ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(triangles), 500, 6 * 19.4);
}

TEST(ErdosRenyi, ExtremesAndMeanDegree) {
  EXPECT_EQ(testing::make_graph("erdos_renyi", {{"nodes", 12}, {"p", 1.0}}).edge_count(), 66U);
  EXPECT_EQ(testing::make_graph("erdos_renyi", {{"nodes", 1}, {"p", 0.5}}).node_count(), 1U);
  EXPECT_EQ(
      testing::make_graph("erdos_renyi", {{"nodes", 50}, {"p", 1e-300}, {"connected", false}}).edge_count(),
      0U);
  const Graph by_degree = testing::make_graph("erdos_renyi", {{"nodes", 60}, {"mean_degree", 6}}, 3);
  EXPECT_EQ(by_degree.edges(), testing::make_graph("erdos_renyi", {{"nodes", 60}, {"p", 0.1}}, 3).edges());
}

TEST(ErdosRenyi, CrossChecks) {
  const auto message = [](const Json& given) {
    return testing::error_of(Fault::kConfig, [&] { testing::make_graph("erdos_renyi", given); });
  };
  EXPECT_THAT(message({{"nodes", 10}}), HasSubstr("exactly one of p and mean_degree"));
  EXPECT_THAT(message({{"p", 0.1}, {"mean_degree", 3}}), HasSubstr("exactly one"));
  EXPECT_THAT(message({{"nodes", 10}, {"mean_degree", 11}}), HasSubstr("more than the 10 nodes allow"));
  EXPECT_THAT(message({{"nodes", 300}, {"mean_degree", 0.5}}),
              HasSubstr("was connected; raise p or mean_degree"));
}

TEST(RandomGeometric, RadiusDecides) {
  EXPECT_EQ(testing::make_graph("random_geometric", {{"nodes", 20}, {"radius", 1.5}}).edge_count(), 190U);
  // P(two uniform points are at most r apart) = pi r^2 - 8 r^3 / 3 + r^4 / 2 for r <= 1: 0.214793 at r = 0.3.
  // Pairs share points, so the count is compared over disjoint pairs: 200 graphs x 100 pairs, standard
  // deviation 58.
  double near = 0;
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    const Graph graph = testing::make_graph("random_geometric",
                                            {{"nodes", 200}, {"radius", 0.3}, {"connected", false}}, trial);
    for (NodeId pair = 0; pair < 100; ++pair) near += graph.has_edge(2 * pair, 2 * pair + 1) ? 1 : 0;
  }
  const double p = std::acos(-1.0) * 0.09 - 8 * 0.027 / 3 + 0.0081 / 2;
  EXPECT_NEAR(near, 20000 * p, 5 * std::sqrt(20000 * p * (1 - p)));
}

TEST(WattsStrogatz, Invariants) {
  const Graph lattice =
      testing::make_graph("watts_strogatz", {{"nodes", 20}, {"neighbours", 6}, {"rewire", 0.0}});
  for (NodeId node = 0; node < 20; ++node) {
    for (NodeId hop = 1; hop <= 3; ++hop) EXPECT_TRUE(lattice.has_edge(node, (node + hop) % 20));
  }
  for (const double rewire : {0.0, 0.2, 1.0}) {
    const Graph graph =
        testing::make_graph("watts_strogatz", {{"nodes", 60}, {"neighbours", 6}, {"rewire", rewire}});
    EXPECT_EQ(graph.edge_count(), 180U);
    for (NodeId node = 0; node < 60; ++node) EXPECT_GE(graph.degree(node), 3U);  // its own near ends stay
  }
}

TEST(WattsStrogatz, MovesTheStatedShareOfLinks) {
  // 50 x 400 links of 200 nodes, each moved with p = 0.25: 5000 moved, standard deviation 61; a moved link
  // lands on a lattice place freed before it at a rate below 1%.
  double moved = 0;
  for (std::uint64_t trial = 0; trial < 50; ++trial) {
    const Graph graph = testing::make_graph("watts_strogatz", {{"nodes", 200}, {"rewire", 0.25}}, trial);
    for (NodeId node = 0; node < 200; ++node) {
      for (NodeId hop = 1; hop <= 2; ++hop) moved += graph.has_edge(node, (node + hop) % 200) ? 0 : 1;
    }
  }
  EXPECT_NEAR(moved, 5000, 5 * 61 + 50);
}

TEST(WattsStrogatz, CrossChecks) {
  for (const Json& given : {Json{{"neighbours", 3}}, Json{{"nodes", 6}, {"neighbours", 6}}})
    EXPECT_THAT(testing::error_of(Fault::kConfig, [&] { testing::make_graph("watts_strogatz", given); }),
                HasSubstr("must be even and below nodes"));
  // All others are already linked: nothing can move.
  EXPECT_EQ(
      testing::make_graph("watts_strogatz", {{"nodes", 5}, {"neighbours", 4}, {"rewire", 1.0}}).edge_count(),
      10U);
}

TEST(BarabasiAlbert, Invariants) {
  for (const int links : {1, 2, 5}) {
    const Graph graph = testing::make_graph("barabasi_albert", {{"nodes", 300}, {"links", links}});
    const auto m = static_cast<std::size_t>(links);
    EXPECT_EQ(graph.edge_count(), m * (300 - m));
    EXPECT_TRUE(is_connected(graph));
    for (NodeId node = static_cast<NodeId>(m) + 1; node < 300; ++node) EXPECT_GE(graph.degree(node), m);
  }
  EXPECT_THAT(testing::error_of(Fault::kConfig,
                                [] {
                                  testing::make_graph("barabasi_albert", {{"nodes", 5}, {"links", 5}});
                                }),
              HasSubstr("must be below nodes"));
}

TEST(BarabasiAlbert, PrefersByDegree) {
  // links = 1: with k nodes there are k - 1 links, so node 0's expected degree grows by the factor 1 + 1 / (2
  // (k - 1)) when the next node arrives. Mean of 4000 draws within five standard errors: false alarms 6e-7.
  // Attachment blind to degree would give 4.5 instead of 7.9.
  double expected = 1;
  for (int k = 2; k < 50; ++k) expected *= 1 + 1 / (2.0 * (k - 1));
  constexpr double kDraws = 4000;
  double sum = 0;
  double squares = 0;
  for (std::uint64_t trial = 0; trial < 4000; ++trial) {
    const auto degree = static_cast<double>(
        testing::make_graph("barabasi_albert", {{"nodes", 50}, {"links", 1}}, trial).degree(0));
    sum += degree;
    squares += degree * degree;
  }
  const double mean = sum / kDraws;
  EXPECT_NEAR(mean, expected, 5 * std::sqrt((squares / kDraws - mean * mean) / kDraws));
}

}  // namespace
}  // namespace earshot
