#include "earshot/graph/gossip_matrix.hpp"
#include "earshot/graph/testing.hpp"

namespace earshot {
namespace {

WeightCheck check_text(const Graph& graph, std::string_view text) {
  return check_weights(parse_weights(graph, text, "test"));
}

Graph pair_graph() {
  return testing::make_graph("line", {{"nodes", 2}});
}

TEST(WeightCheck, EveryConstructionOnEveryGraph) {
  for (const auto& [graph_name, graph] : testing::sample_graphs()) {
    for (const WeightsComponent& one : weights_components()) {
      if (one.schema.name == "file") continue;
      const WeightCheck check = check_weights(testing::make_weights(one.schema.name, graph));
      EXPECT_TRUE(check.non_negative) << graph_name << ' ' << one.schema.name;
      EXPECT_TRUE(check.row_stochastic) << graph_name << ' ' << one.schema.name;
      if (one.schema.name.find("uniform") == std::string::npos) {
        EXPECT_TRUE(check.symmetric) << graph_name << ' ' << one.schema.name;
        EXPECT_TRUE(check.doubly_stochastic) << graph_name << ' ' << one.schema.name;
      }
      EXPECT_TRUE(check.mixes || one.schema.name == "max_degree") << graph_name << ' ' << one.schema.name;
      EXPECT_EQ(check.problems.empty(), check.doubly_stochastic && check.mixes);
    }
  }
}

TEST(WeightCheck, UniformNeighbourIsDoublyStochasticOnlyOnRegularGraphs) {
  EXPECT_TRUE(check_weights(uniform_neighbour_weights(testing::make_graph("ring"))).doubly_stochastic);
  EXPECT_FALSE(check_weights(uniform_neighbour_weights(testing::make_graph("line"))).doubly_stochastic);
}

TEST(WeightCheck, MaxDegreeSwingsForEverOnRegularBipartiteGraphs) {
  EXPECT_FALSE(check_weights(max_degree_weights(testing::make_graph("ring", {{"nodes", 8}}))).mixes);
  EXPECT_TRUE(check_weights(max_degree_weights(testing::make_graph("ring", {{"nodes", 9}}))).mixes);
  EXPECT_TRUE(check_weights(lazy(max_degree_weights(testing::make_graph("ring", {{"nodes", 8}})))).mixes);
  EXPECT_TRUE(check_weights(max_degree_weights(testing::make_graph("line"))).mixes);
}

TEST(WeightCheck, DecidesSumsExactly) {
  EXPECT_TRUE(check_text(pair_graph(), "0 1 1/3\n1 0 1/3\n0 0 2/3\n1 1 2/3\n").doubly_stochastic);
  const WeightCheck off = check_text(pair_graph(), "0 1 0.3333333333333333\n1 0 1/3\n0 0 2/3\n1 1 2/3\n");
  EXPECT_FALSE(off.row_stochastic);
  EXPECT_FALSE(off.symmetric);
  ASSERT_FALSE(off.problems.empty());
}

TEST(WeightCheck, DoublyStochasticWithoutSymmetry) {
  // A ring along which weight travels one way only: a permutation averaged with the identity.
  const Graph ring = testing::make_graph("ring", {{"nodes", 3}});
  const WeightCheck check = check_text(ring, "0 1 1/2\n1 2 1/2\n2 0 1/2\n1 0 0\n2 1 0\n0 2 0\n");
  EXPECT_FALSE(check.symmetric);
  EXPECT_TRUE(check.doubly_stochastic);
  EXPECT_TRUE(check.mixes);
  EXPECT_TRUE(check.problems.empty());
}

TEST(WeightCheck, FindsNegativeWeightsOnAndOffTheDiagonal) {
  EXPECT_FALSE(check_text(pair_graph(), "0 1 -1/3\n1 0 1/3\n").non_negative);
  const WeightCheck implied = check_text(pair_graph(), "0 1 3/2\n1 0 3/2\n");
  EXPECT_FALSE(implied.non_negative);
  EXPECT_FALSE(implied.row_stochastic);
  EXPECT_FALSE(implied.mixes);  // eigenvalues 1 and -2
}

TEST(WeightCheck, ADisconnectedGraphDoesNotMix) {
  const Graph two_pairs(4, std::vector<Edge>{{0, 1}, {2, 3}});
  EXPECT_FALSE(check_weights(metropolis_weights(two_pairs)).mixes);
}

TEST(WeightCheck, ASocialGraphWhoseDenominatorsOverflow) {
  const Graph graph = testing::make_graph("barabasi_albert", {{"nodes", 3000}, {"links", 5}});
  const WeightCheck check = check_weights(metropolis_weights(graph));
  EXPECT_TRUE(check.doubly_stochastic);
  EXPECT_TRUE(check.mixes);
}

}  // namespace
}  // namespace earshot
