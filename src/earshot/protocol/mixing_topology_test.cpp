#include "earshot/protocol/mixing_topology.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/graph/spectrum.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

RandomMixingOptions options(std::size_t nodes, double q, Round exchanges = 1) {
  return {nodes, q, false, exchanges, 7, 0};
}

/// The exact weights of the same graph are the oracle; rows and columns sum to one, isolated nodes included.
TEST(RandomMixing, HasMetropolisWeights) {
  RandomMixing mixing(options(40, 0.08));
  for (Round round = 0; round < 5; ++round) {
    mixing.enter(round);
    const Graph& graph = mixing.graph();
    const GossipMatrix exact = metropolis_weights(graph);
    std::vector<double> columns(40, 0.0);
    for (NodeId node = 0; node < 40; ++node) {
      const MixingRow row = mixing.row(node);
      ASSERT_EQ(row.others.size(), graph.degree(node));
      EXPECT_NEAR(row.self, exact.self_weight(node), 1e-14);
      EXPECT_GE(row.self, 0);
      columns[node] += row.self;
      for (std::size_t i = 0; i < row.others.size(); ++i) {
        EXPECT_DOUBLE_EQ(row.others[i], exact.weights(node)[i]);
        columns[graph.neighbours(node)[i]] += row.others[i];
      }
      if (row.others.empty()) {
        EXPECT_EQ(row.self, 1);
      }
    }
    for (const double sum : columns) EXPECT_NEAR(sum, 1, 1e-14);
  }
}

TEST(RandomMixing, KeepsAGraphForARoundOfTrainingAndAddressesItByNumber) {
  RandomMixing mixing(options(30, 0.2, 3));
  std::vector<std::vector<Edge>> seen;
  for (Round round = 0; round < 9; ++round) {
    mixing.enter(round);
    seen.push_back(mixing.graph().edges());
    EXPECT_EQ(seen[round], seen[round / 3 * 3]);
    EXPECT_EQ(seen[round], mixing.matrix(round / 3).graph().edges());
  }
  EXPECT_NE(seen[0], seen[3]);
  EXPECT_NE(seen[3], seen[6]);
  RandomMixing resumed(options(30, 0.2, 3));
  resumed.enter(7);
  EXPECT_EQ(resumed.graph().edges(), seen[6]);
  resumed.enter(2);
  EXPECT_EQ(resumed.graph().edges(), seen[0]);
}

/// 400 graphs of 1,225 pairs: the number of edges and of isolated nodes within 5 deviations (isolated nodes
/// of one graph are positively correlated, which twice the binomial variance covers): false alarm below 1e-6.
TEST(RandomMixing, DrawsEveryPairWithTheGivenProbability) {
  const std::size_t n = 50;
  const double q = connecting_probability(0.7, n);
  RandomMixing mixing(options(n, q));
  double edges = 0;
  double isolated = 0;
  double first_pair = 0;
  for (Round round = 0; round < 400; ++round) {
    mixing.enter(round);
    edges += static_cast<double>(mixing.graph().edge_count());
    first_pair += mixing.graph().has_edge(0, 1) ? 1 : 0;
    for (NodeId node = 0; node < n; ++node) isolated += mixing.graph().degree(node) == 0 ? 1 : 0;
  }
  const double pairs = 400.0 * 1225;
  EXPECT_NEAR(edges, pairs * q, 5 * std::sqrt(pairs * q * (1 - q)));
  EXPECT_NEAR(first_pair, 400 * q, 5 * std::sqrt(400 * q * (1 - q)));
  const double share = expected_isolated_share(q, n);
  EXPECT_NEAR(isolated, 400.0 * n * share, 5 * std::sqrt(2 * 400.0 * n * share * (1 - share)));
}

/// Shares of isolated nodes at q = c ln n / n (Ski 2026): 9.5 %, 0.94 % and 0.098 % for c near 1, 33 %, 10 %
/// and 3.2 % for c = 1/2.
TEST(RandomMixing, ExpectedShareOfIsolatedNodes) {
  const auto share = [](double c, std::size_t n) {
    return 100 * expected_isolated_share(connecting_probability(c, n), n);
  };
  EXPECT_NEAR(share(1 - 1e-4, 10), 9.5, 0.05);
  EXPECT_NEAR(share(1 - 1e-4, 100), 0.94, 0.005);
  EXPECT_NEAR(share(1 - 1e-4, 1000), 0.098, 0.0005);
  EXPECT_NEAR(share(0.5, 10), 33, 0.5);
  EXPECT_NEAR(share(0.5, 100), 10, 0.5);
  EXPECT_NEAR(share(0.5, 1000), 3.2, 0.05);
}

TEST(RandomMixing, WarnsBelowTheThresholdOfConnectedness) {
  EXPECT_THAT(RandomMixing(options(100, connecting_probability(3, 100))).warnings(), IsEmpty());
  EXPECT_THAT(RandomMixing(options(100, connecting_probability(0.5, 100))).warnings(),
              ElementsAre(HasSubstr("0.5 ln n / n"), HasSubstr("9.9")));
  EXPECT_THAT(RandomMixing({30, connecting_probability(0.9, 30), true, 1, 7, 0}).warnings(), SizeIs(1));
}

TEST(RandomMixing, CanInsistOnConnectedGraphs) {
  RandomMixing mixing({30, connecting_probability(0.9, 30), true, 1, 7, 0});
  for (Round round = 0; round < 20; ++round) {
    mixing.enter(round);
    EXPECT_TRUE(is_connected(mixing.graph()));
  }
}

TEST(RandomMixing, RefusesMoreThanAllEdges) {
  EXPECT_THROW(connecting_probability(5, 3), Error);
  EXPECT_THROW(connecting_probability(-1, 10), Error);
}

TEST(FixedMixing, TellsWhatIsWrongWithItsWeights) {
  const std::vector<Edge> edges = {{0, 1}, {1, 2}};
  const GossipMatrix good = metropolis_weights(Graph(3, edges));
  const GossipMatrix bad = uniform_neighbour_weights(Graph(3, edges));
  EXPECT_THAT(FixedMixing(good).warnings(), IsEmpty());
  EXPECT_FALSE(FixedMixing(bad).warnings().empty());
}

}  // namespace
}  // namespace earshot
