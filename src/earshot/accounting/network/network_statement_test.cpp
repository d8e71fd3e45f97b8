#include "earshot/accounting/network/network_statement.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/accounting/gaussian_curve.hpp"
#include "earshot/core/error.hpp"
#include "earshot/graph/testing.hpp"

namespace earshot {
namespace {

using ::testing::HasSubstr;

class FlorentineStatement : public ::testing::Test {
 protected:
  Graph graph = testing::make_graph("florentine");
  LeverageScores scores =
      leverage_scores(metropolis_weights(graph), make_adversary(graph, {graph.require("Pazzi")}), {5});
  NoiseTerms terms{2, 3, 1e-6};
};

TEST_F(FlorentineStatement, IsTheGaussianCurveAtTheLeverage) {
  for (const NodeId node : target_nodes(graph, scores.adversary)) {
    const PrivacyStatement statement = pairwise_statement(graph, scores, node, terms);
    ASSERT_TRUE(statement.is_private());
    EXPECT_DOUBLE_EQ(*statement.epsilon, gaussian_epsilon(2 * std::sqrt(scores.leverage[node]) / 3, 1e-6));
    EXPECT_LE(*statement.epsilon, gaussian_epsilon(2.0 / 3, 1e-6)) << "never above local DP";
  }
}

TEST_F(FlorentineStatement, NamesItsTerms) {
  const PrivacyStatement statement = pairwise_statement(graph, scores, graph.require("Salviati"), terms);
  EXPECT_THAT(statement.definition, HasSubstr("pairwise network (epsilon, delta)-DP of Salviati"));
  EXPECT_THAT(statement.definition, HasSubstr("reconstructible"));
  EXPECT_EQ(statement.unit, "one node's whole data");
  EXPECT_THAT(statement.adjacency, HasSubstr("at most 2"));
  EXPECT_THAT(statement.adversary, HasSubstr("Pazzi"));
  EXPECT_THAT(statement.adversary, HasSubstr("5 rounds"));
  EXPECT_EQ(statement.delta, 1e-6);
  EXPECT_FALSE(statement.assumptions.empty());
  LeverageScores blurred = scores;
  blurred.condition.unresolved = 2;
  EXPECT_THAT(pairwise_statement(graph, blurred, 0, terms).assumptions.back(), HasSubstr("rounding"));
}

TEST_F(FlorentineStatement, WorstAndMeanEncloseEverybody) {
  const double worst = *worst_statement(graph, scores, terms).epsilon;
  const PrivacyStatement mean = mean_statement(graph, scores, terms);
  double sum = 0;
  for (const NodeId node : target_nodes(graph, scores.adversary)) {
    const double epsilon = *pairwise_statement(graph, scores, node, terms).epsilon;
    EXPECT_LE(epsilon, worst);
    sum += epsilon;
  }
  EXPECT_NEAR(*mean.epsilon, sum / 14, 1e-12);
  EXPECT_LT(*mean.epsilon, worst);
  EXPECT_THAT(mean.definition, HasSubstr("not a guarantee"));
}

TEST_F(FlorentineStatement, RefusesMembersAndImpossibleTerms) {
  const auto refuse = [](auto action) { return testing::error_of(Fault::kConfig, action); };
  EXPECT_THAT(refuse([&] { pairwise_statement(graph, scores, graph.require("Pazzi"), terms); }),
              HasSubstr("Pazzi is in the coalition"));
  refuse([&] { pairwise_statement(graph, scores, 99, terms); });
  for (const NoiseTerms bad : {NoiseTerms{0, 1, 1e-5}, NoiseTerms{1, NAN, 1e-5}, NoiseTerms{1, 1, 1}})
    refuse([&] { worst_statement(graph, scores, bad); });
}

TEST(InjectionsStatement, BoundExactAndNone) {
  const NoiseTerms terms{1, 2, 1e-5};
  const PrivacyStatement exact = injections_statement({4, 4}, "everybody", terms);
  EXPECT_DOUBLE_EQ(*exact.epsilon, gaussian_epsilon(1, 1e-5));
  EXPECT_THAT(exact.definition, HasSubstr("exact"));
  EXPECT_THAT(injections_statement({3, 4}, "everybody", terms).definition, HasSubstr("upper bound"));
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const PrivacyStatement none = injections_statement({kInfinity, kInfinity}, "everybody", terms);
  EXPECT_FALSE(none.is_private());
  EXPECT_THAT(none.definition, HasSubstr("without noise"));
}

}  // namespace
}  // namespace earshot
