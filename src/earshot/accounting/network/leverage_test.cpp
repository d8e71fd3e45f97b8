#include "earshot/accounting/network/leverage.hpp"

#include <Eigen/LU>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "earshot/accounting/network/rational_oracle.hpp"
#include "earshot/core/error.hpp"
#include "earshot/graph/testing.hpp"

namespace earshot {
namespace {

GossipMatrix weights_number(std::size_t i, const Graph& graph) {
  switch (i % 4) {
    case 0:
      return metropolis_weights(graph);
    case 1:
      return max_degree_weights(graph);
    case 2:
      return uniform_neighbour_weights(graph);  // not symmetric
    default:
      return lazy(metropolis_weights(graph));
  }
}

Graph random_graph(Stream& stream, std::size_t n, std::uint64_t trial) {
  const double p = 0.15 + 0.25 * stream.uniform();
  return testing::make_graph("erdos_renyi", {{"nodes", n}, {"p", p}, {"connected", false}}, trial);
}

Adversary random_coalition(Stream& stream, const Graph& graph, std::size_t size, bool tap) {
  std::vector<NodeId> members, tapped;
  for (const std::size_t node : stream.sample_without_replacement(size, graph.node_count()))
    members.push_back(static_cast<NodeId>(node));
  if (tap) tapped.push_back(static_cast<NodeId>(stream.below(graph.node_count())));
  return make_adversary(graph, members, tapped);
}

void expect_equals_oracle(const LeverageScores& scores, const testing::RationalMatrix& gram,
                          const std::string& what) {
  for (NodeId u = 0; u < scores.leverage.size(); ++u) {
    EXPECT_NEAR(scores.leverage[u], gram.value(u, u), 1e-11) << what << ", node " << u;
    EXPECT_EQ(scores.leverage[u] == 1.0, gram.is_one(u, u)) << what << ", node " << u;
    EXPECT_EQ(scores.first_exact_round[u].has_value(), gram.is_one(u, u)) << what << ", node " << u;
    EXPECT_LE(scores.leverage[u], 1.0);
  }
}

TEST(Leverage, EqualsTheRationalGaussianLossOn80RandomGraphs) {
  Stream stream({2026, Purpose::kTest});
  std::size_t fractional = 0;
  for (std::uint64_t i = 0; i < 80; ++i) {
    const std::size_t n = 6 + stream.below(5);
    const Graph graph = random_graph(stream, n, i);
    const GossipMatrix matrix = weights_number(i, graph);
    const Adversary adversary = random_coalition(stream, graph, 1 + i % 3, i % 5 == 0);
    for (const std::size_t rounds : {std::size_t{1}, std::size_t{2}, std::size_t{4}, n}) {
      const std::vector<const GossipMatrix*> schedule(rounds, &matrix);
      const LeverageScores scores = leverage_scores(matrix, adversary, {rounds});
      expect_equals_oracle(scores, testing::gossip_gram(schedule, adversary),
                           "graph " + std::to_string(i) + ", T = " + std::to_string(rounds));
      for (const double leverage : scores.leverage) fractional += leverage > 0 && leverage < 1 ? 1 : 0;
    }
  }
  EXPECT_GT(fractional, 100U) << "graphs on which all is known or nothing test little";
}

TEST(Leverage, FollowsRowsAndNotColumnsOfAnAsymmetricMatrix) {
  // Observer 0 hears 1, which averages 0..3 evenly, but 2 and 3 have different degrees: W_21 is not W_31.
  const std::vector<Edge> edges = {{0, 1}, {1, 2}, {1, 3}, {3, 4}, {3, 5}};
  const Graph graph(6, edges);
  const GossipMatrix matrix = uniform_neighbour_weights(graph);
  const LeverageScores scores =
      leverage_scores(matrix, make_adversary(graph, {0}), {3}, LeverageCurve::kByRound);
  for (const NodeId u : {2, 3}) {
    EXPECT_NEAR(scores.by_round[1][u], 0.5, 1e-14);
    EXPECT_NEAR(scores.leverage[u], 0.6, 1e-14);
  }
  for (const NodeId u : {4, 5}) EXPECT_NEAR(scores.leverage[u], 0.4, 1e-14);
}

/// D_alpha of two Gaussians with covariance `c` (2 x 2) and means 0 and m, by quadrature of the definition.
double renyi_by_integration(const Eigen::Matrix2d& c, const Eigen::Vector2d& m, double alpha) {
  const Eigen::Matrix2d inverse = c.inverse();
  const double h = 0.02;
  double sum = 0;
  for (double x = -9; x < 9; x += h) {
    for (double y = -9; y < 9; y += h) {
      const Eigen::Vector2d v(x, y);
      const double p = v.dot(inverse * v), q = (v - m).dot(inverse * (v - m));
      sum += h * h * std::exp(-0.5 * (alpha * p + (1 - alpha) * q));
    }
  }
  return std::log(sum / (2 * M_PI * std::sqrt(c.determinant()))) / (alpha - 1);
}

TEST(Leverage, IsTheRenyiDivergenceItself) {
  // Node 0 of the star 0 - 1, 1 - 2, 1 - 3 (Metropolis) hears z1, then z0/4 + z1/4 + z2/4 + z3/4, of which it
  // knows z0/4: noise (n1, n1/4 + n2/4 + n3/4), shift of z2 by 1: (0, 1/4).
  const std::vector<Edge> edges = {{0, 1}, {1, 2}, {1, 3}};
  const Graph graph(4, edges);
  const LeverageScores scores = leverage_scores(metropolis_weights(graph), make_adversary(graph, {0}), {2});
  Eigen::Matrix2d covariance;
  covariance << 1, 0.25, 0.25, 3.0 / 16;
  for (const double alpha : {1.5, 2.0, 4.0}) {
    EXPECT_NEAR(alpha / 2 * scores.leverage[2],
                renyi_by_integration(covariance, Eigen::Vector2d(0, 0.25), alpha), 1e-6);
  }
  EXPECT_NEAR(scores.leverage[2], 0.5, 1e-15);
}

TEST(Leverage, PathOfThreeIsFullyKnownAfterTwoRounds) {
  const Graph graph = testing::make_graph("line", {{"nodes", 3}});
  const LeverageScores scores =
      leverage_scores(metropolis_weights(graph), make_adversary(graph, {0}), {2}, LeverageCurve::kByRound);
  EXPECT_EQ(scores.by_round[0], (std::vector<double>{1, 1, 0}));
  EXPECT_EQ(scores.leverage, (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(scores.first_exact_round[2], std::size_t{2});
}

TEST(Leverage, LeavesOfAStarShareOneDirection) {
  // A leaf hears the hub: z_hub, then the mean of all. The n - 2 other leaves share one direction.
  const Graph star = testing::make_graph("star", {{"nodes", 12}});
  const LeverageScores scores =
      leverage_scores(metropolis_weights(star), make_adversary(star, {1}), {}, LeverageCurve::kByRound);
  EXPECT_TRUE(scores.saturated);
  for (NodeId leaf = 2; leaf < 12; ++leaf) EXPECT_NEAR(scores.leverage[leaf], 0.1, 1e-14);
  EXPECT_EQ(scores.leverage[0], 1.0);
  EXPECT_NEAR(scores.mean(), (1 + 10 * 0.1) / 11, 1e-14);
  EXPECT_EQ(scores.worst(), 1.0);
}

TEST(Leverage, AgreesWithExposureAndSumsToTheRank) {
  // The trace of a projector is its rank: an invariant that needs no oracle, on graphs no rational can reach.
  for (const auto& [name, graph] : testing::sample_graphs()) {
    const GossipMatrix matrix = metropolis_weights(graph);
    for (const std::size_t rounds : {std::size_t{3}, std::size_t{9}, std::size_t{0}}) {
      const Adversary adversary = make_adversary(graph, {static_cast<NodeId>(graph.node_count() / 2)});
      const LeverageScores scores = leverage_scores(matrix, adversary, {rounds});
      const Exposure exposure = analyse_exposure(matrix, adversary, {rounds});
      EXPECT_EQ(scores.first_exact_round, exposure.first_round) << name;
      EXPECT_EQ(scores.rounds, exposure.rounds) << name;
      EXPECT_EQ(scores.saturated, exposure.saturated) << name;
      EXPECT_EQ(scores.rank + 1, exposure.rank) << name;
      const double sum = std::accumulate(scores.leverage.begin(), scores.leverage.end(), 0.0);
      EXPECT_NEAR(sum, static_cast<double>(exposure.rank), 1e-9) << name << ", T = " << rounds;
      for (NodeId u = 0; u < graph.node_count(); ++u)
        EXPECT_EQ(scores.leverage[u] == 1.0, exposure.first_round[u].has_value()) << name;
    }
  }
}

TEST(Leverage, StaysAccurateWherePowersOfWAreWorthless) {
  // After 30 rounds the rows of W^t differ by less than rounding; the Krylov basis keeps the digits.
  const Graph graph =
      testing::make_graph("erdos_renyi", {{"nodes", 36}, {"mean_degree", 3.0}, {"connected", false}}, 0);
  const GossipMatrix matrix = metropolis_weights(graph);
  const Adversary adversary = make_adversary(graph, {0});
  const LeverageScores scores = leverage_scores(matrix, adversary, {30});
  EXPECT_EQ(scores.rank, 30U);
  const std::vector<const GossipMatrix*> schedule(30, &matrix);
  const testing::RationalMatrix gram = testing::gossip_gram(schedule, adversary);
  for (NodeId u = 0; u < 36; ++u) EXPECT_NEAR(scores.leverage[u], gram.value(u, u), 1e-13) << u;
  EXPECT_EQ(scores.condition.unresolved, 0U);
  EXPECT_EQ(scores.numerical_note(), "");
}

TEST(Leverage, GrowsWithRoundsAndWithTheCoalition) {
  for (std::uint64_t trial = 0; trial < 10; ++trial) {
    const Graph graph = testing::make_graph("erdos_renyi", {{"nodes", 30}, {"mean_degree", 3.5}}, trial);
    const GossipMatrix matrix = metropolis_weights(graph);
    const LeverageScores one =
        leverage_scores(matrix, make_adversary(graph, {3}), {12}, LeverageCurve::kByRound);
    const LeverageScores two = leverage_scores(matrix, make_adversary(graph, {3, 8}), {12});
    const LeverageScores tap = leverage_scores(matrix, make_adversary(graph, {3}, {8}), {12});
    for (NodeId u = 0; u < 30; ++u) {
      for (std::size_t t = 1; t < one.by_round.size(); ++t)
        EXPECT_GE(one.by_round[t][u], one.by_round[t - 1][u]);
      EXPECT_EQ(one.by_round.back()[u], one.leverage[u]);
      EXPECT_GE(tap.leverage[u], one.leverage[u] - 1e-9);
      EXPECT_GE(two.leverage[u], one.leverage[u] - 1e-9);
      EXPECT_GE(two.leverage[u], tap.leverage[u] - 1e-9) << "a member hears more than a tapped wire tells";
    }
  }
}

TEST(Leverage, DoesNotDependOnTheNamesOfTheNodes) {
  Stream stream({11, Purpose::kTest});
  for (std::uint64_t trial = 0; trial < 10; ++trial) {
    const Graph graph = testing::make_graph("erdos_renyi", {{"nodes", 20}, {"mean_degree", 3.0}}, trial);
    const std::vector<std::size_t> to = stream.permutation(20);
    std::vector<Edge> edges;
    for (const auto& [a, b] : graph.edges()) {
      const auto x = static_cast<NodeId>(to[a]), y = static_cast<NodeId>(to[b]);
      edges.emplace_back(std::min(x, y), std::max(x, y));
    }
    std::sort(edges.begin(), edges.end());
    const Graph renamed(20, edges);
    const LeverageScores before = leverage_scores(metropolis_weights(graph), make_adversary(graph, {2}), {5});
    const LeverageScores after = leverage_scores(metropolis_weights(renamed),
                                                 make_adversary(renamed, {static_cast<NodeId>(to[2])}), {5});
    for (NodeId u = 0; u < 20; ++u) EXPECT_NEAR(before.leverage[u], after.leverage[to[u]], 1e-12);
  }
}

TEST(Leverage, ManyObserversAtOnceEqualOneByOne) {
  // The complete part {0..3} gives twins with equal closed neighbourhoods; {0,1,2,3,4} and the isolated 8
  // have extreme ones.
  const std::vector<Edge> edges = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3},
                                   {2, 3}, {3, 4}, {4, 5}, {5, 6}, {5, 7}};
  const Graph graph(9, edges);
  const GossipMatrix matrix = metropolis_weights(graph);
  std::vector<Adversary> all;
  for (NodeId v = 0; v < 9; ++v) all.push_back(make_adversary(graph, {v}));
  all.push_back(make_adversary(graph, {0, 1}));
  all.push_back(make_adversary(graph, {0, 1, 2, 3, 4, 5, 6, 7}));
  all.push_back(make_adversary(graph, {0, 1, 2, 3, 4, 5}));
  for (const std::size_t rounds : {std::size_t{0}, std::size_t{1}, std::size_t{3}}) {
    const auto together = leverage_scores(matrix, all, {rounds}, LeverageCurve::kByRound);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const LeverageScores alone = leverage_scores(matrix, all[i], {rounds}, LeverageCurve::kByRound);
      EXPECT_EQ(together[i].adversary, all[i]);
      EXPECT_EQ(together[i].first_exact_round, alone.first_exact_round);
      EXPECT_EQ(together[i].rank, alone.rank);
      EXPECT_EQ(together[i].rounds, alone.rounds);
      ASSERT_EQ(together[i].by_round.size(), alone.by_round.size());
      for (NodeId u = 0; u < 9; ++u) EXPECT_NEAR(together[i].leverage[u], alone.leverage[u], 1e-13);
    }
  }
}

TEST(Leverage, WhoHearsNobodyLearnsNothing) {
  const std::vector<Edge> edges = {{1, 2}};
  const Graph graph(3, edges);
  const LeverageScores scores = leverage_scores(metropolis_weights(graph), make_adversary(graph, {0}), {});
  EXPECT_EQ(scores.leverage, (std::vector<double>{1, 0, 0}));
  EXPECT_EQ(scores.worst(), 0.0);
  EXPECT_EQ(scores.mean(), 0.0);
}

TEST(Leverage, ChangingGraphsEqualTheRationalLoss) {
  Stream stream({77, Purpose::kTest});
  for (std::uint64_t i = 0; i < 30; ++i) {
    const std::size_t n = 6 + stream.below(4);
    const std::size_t each = 1 + i % 3;  // a fresh graph, kept for `each` gossip steps
    std::vector<GossipMatrix> matrices;
    for (std::uint64_t k = 0; k < 3; ++k)
      matrices.push_back(weights_number(i + k, random_graph(stream, n, 100 * i + k)));
    const Adversary adversary = random_coalition(stream, matrices[0].graph(), 1 + i % 3, i % 4 == 0);
    const GossipSchedule schedule{matrices, each};
    const LeverageScores scores = leverage_scores(schedule, adversary, LeverageCurve::kByRound);
    EXPECT_EQ(scores.rounds, 3 * each);
    for (std::size_t rounds = 1; rounds <= schedule.rounds(); ++rounds) {
      std::vector<const GossipMatrix*> heard;
      for (std::size_t t = 0; t < rounds; ++t) heard.push_back(&schedule.at(t));
      const testing::RationalMatrix gram = testing::gossip_gram(heard, adversary);
      for (NodeId u = 0; u < n; ++u) {
        EXPECT_NEAR(scores.by_round[rounds - 1][u], gram.value(u, u), 1e-11) << i << ", T = " << rounds;
        EXPECT_EQ(scores.by_round[rounds - 1][u] == 1.0, gram.is_one(u, u)) << i << ", T = " << rounds;
      }
    }
    const LeverageScores final_only = leverage_scores(schedule, adversary);
    EXPECT_TRUE(final_only.by_round.empty());
    for (NodeId u = 0; u < n; ++u) EXPECT_NEAR(final_only.leverage[u], scores.leverage[u], 1e-13);
  }
}

TEST(Leverage, AFixedGraphIsAScheduleThatRepeatsIt) {
  const Graph graph = testing::make_graph("florentine");
  const std::vector<GossipMatrix> matrices = {metropolis_weights(graph)};
  const Adversary adversary = make_adversary(graph, {graph.require("Ginori")});
  const LeverageScores fixed = leverage_scores(matrices[0], adversary, {6});
  const LeverageScores repeated = leverage_scores(GossipSchedule{matrices, 6}, adversary);
  EXPECT_EQ(fixed.first_exact_round, repeated.first_exact_round);
  EXPECT_EQ(fixed.rank, repeated.rank);
  for (NodeId u = 0; u < 15; ++u) EXPECT_NEAR(fixed.leverage[u], repeated.leverage[u], 1e-10);
}

TEST(Leverage, LargeSparseGraphsNeedNoSquareMatrix) {
  const Graph graph = testing::make_graph("ring", {{"nodes", 50000}});
  const LeverageScores scores =
      leverage_scores(metropolis_weights(graph), make_adversary(graph, {0}), {5}, LeverageCurve::kByRound);
  // Both sides reveal one node per round.
  EXPECT_EQ(scores.rank, 10U);
  EXPECT_EQ(scores.leverage[5], 1.0);
  EXPECT_EQ(scores.leverage[6], 0.0);
  EXPECT_EQ(scores.leverage[49995], 1.0);
}

TEST(OrthonormalBasis, StaysOrthonormalAndSaysWhatRoundingSwallowed) {
  OrthonormalBasis basis(50, 12);
  Stream stream({5, Purpose::kTest});
  Eigen::MatrixXd first(50, 6);
  for (double& x : first.reshaped()) x = stream.normal();
  basis.append(first, 6);
  EXPECT_EQ(basis.condition().unresolved, 0U);
  Eigen::MatrixXd second = first * Eigen::MatrixXd::Random(6, 4);
  for (double& x : second.reshaped()) x += 1e-9 * stream.normal();
  basis.append(second, 4);
  EXPECT_EQ(basis.condition().unresolved, 0U);
  EXPECT_LT(basis.condition().smallest_residual, 1e-8);
  Eigen::MatrixXd overlap = basis.columns().transpose() * basis.columns();
  EXPECT_LT((overlap - Eigen::MatrixXd::Identity(10, 10)).cwiseAbs().maxCoeff(), 1e-13);
  basis.append(first, 1);  // nothing new at all, although a direction was promised
  EXPECT_EQ(basis.condition().unresolved, 1U);
}

TEST(Leverage, RefusesWhatMakesNoSense) {
  const Graph five = testing::make_graph("ring", {{"nodes", 5}});
  const Graph six = testing::make_graph("ring", {{"nodes", 6}});
  const std::vector<GossipMatrix> mixed = {metropolis_weights(five), metropolis_weights(six)};
  const auto refuse = [](auto action) { return testing::error_of(Fault::kConfig, action); };
  EXPECT_NE(refuse([&] {
              leverage_scores(GossipSchedule{mixed, 1}, {{0}, {}});
            }).find("share their nodes"),
            std::string::npos);
  refuse([&] { leverage_scores(GossipSchedule{{}, 1}, {{0}, {}}); });
  refuse([&] { leverage_scores(GossipSchedule{std::span(mixed).first(1), 0}, {{0}, {}}); });
  refuse([&] { leverage_scores(mixed[0], {{7}, {}}, {3}); });
}

}  // namespace
}  // namespace earshot
