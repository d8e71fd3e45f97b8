#include "earshot/accounting/network/published_formula.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "earshot/accounting/network/formula_survey.hpp"
#include "earshot/accounting/network/leverage.hpp"
#include "earshot/accounting/network/rational_oracle.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/files.hpp"
#include "earshot/data/catalogue/test_data.hpp"
#include "earshot/graph/testing.hpp"
#include "source_dir.hpp"

namespace earshot {
namespace {

TEST(PublishedFormula, ThreeNodePathIsACounterexample) {
  // Node 0 hears z1 and then (z0 + z1 + z2) / 3, and knows z0: it can solve for z2.
  const Graph graph = testing::make_graph("line", {{"nodes", 3}});
  const GossipMatrix matrix = metropolis_weights(graph);
  EXPECT_NEAR(muffliato_pairwise_as_published(matrix, 0, 2)[2], 1.0 / 3, 1e-15);
  EXPECT_EQ(leverage_scores(matrix, make_adversary(graph, {0}), {2}).leverage[2], 1.0);
}

TEST(PublishedFormula, WithoutTheSquareItFallsShortTooOnThePathOfFour) {
  // sum_t sum_w (W^t)_wu / |(W^t)_w|^2, as the code published with Bellet et al. 2025 evaluates Muffliato's
  // theorem for descent: 9/23 for nodes 3 and 0 at T = 3, yet node 3 is reconstructible.
  const Graph graph = testing::make_graph("line", {{"nodes", 4}});
  const GossipMatrix matrix = metropolis_weights(graph);
  const testing::RationalMatrix w = testing::dense(matrix);
  testing::RationalMatrix power = testing::identity(4);
  double unsquared = 0;
  for (int t = 0; t < 3; ++t) {
    double norm = 0;
    for (std::size_t j = 0; j < 4; ++j) norm += power.value(1, j) * power.value(1, j);
    unsquared += power.value(1, 3) / norm;
    power = product(w, power);
  }
  EXPECT_NEAR(unsquared, 9.0 / 23, 1e-15);
  EXPECT_EQ(leverage_scores(matrix, make_adversary(graph, {0}), {3}).leverage[3], 1.0);
}

TEST(PublishedFormula, EqualsItsDefinitionWrittenOut) {
  const Graph graph = testing::make_graph("florentine");
  const GossipMatrix matrix = metropolis_weights(graph);
  const testing::RationalMatrix w = testing::dense(matrix);
  const NodeId v = graph.require("Medici");
  std::vector<double> expected(15, 0.0);
  testing::RationalMatrix power = testing::identity(15);
  for (std::size_t t = 0; t < 4; ++t) {
    for (const NodeId neighbour : graph.neighbours(v)) {
      double norm = 0;
      for (std::size_t u = 0; u < 15; ++u) norm += power.value(neighbour, u) * power.value(neighbour, u);
      for (std::size_t u = 0; u < 15; ++u)
        expected[u] += power.value(neighbour, u) * power.value(neighbour, u) / norm;
    }
    power = product(w, power);
  }
  expected[v] = 0;
  const auto curve = muffliato_pairwise_curve_as_published(matrix, v, 4);
  for (NodeId u = 0; u < 15; ++u) {
    EXPECT_NEAR(muffliato_pairwise_as_published(matrix, v, 4)[u], expected[u], 1e-13);
    EXPECT_LE(curve[2][u], curve[3][u]);
  }
}

/// Exact loss of u to somebody who sees one message (row of W^t) and nothing else, or also knows own noise.
double single_message_loss(const testing::RationalMatrix& power, NodeId row, NodeId u,
                           const std::vector<NodeId>& own) {
  testing::RationalView view(power.columns());
  for (const NodeId member : own) view.add_unit(member);
  view.add_row(power, row);
  return view.gram().value(u, u);
}

TEST(PublishedFormula, WhatRemainsTrue) {
  // A term is the exact loss of one message to an observer that keeps none of the others and knows no noise;
  // so the sum bounds every memoryless outsider. A member, who knows its own noise, learns at least as much
  // from that message, and the joint view at least as much as any message in it.
  for (std::uint64_t trial = 0; trial < 12; ++trial) {
    const Graph graph = testing::make_graph("erdos_renyi", {{"nodes", 7}, {"p", 0.45}}, trial);
    const GossipMatrix matrix = metropolis_weights(graph);
    const testing::RationalMatrix w = testing::dense(matrix);
    const auto joint = leverage_scores(matrix, make_adversary(graph, {0}), {4});
    const auto formula = muffliato_pairwise_as_published(matrix, 0, 4);
    testing::RationalMatrix power = testing::identity(7);
    std::vector<double> sum(7, 0.0);
    for (int t = 0; t < 4; ++t) {
      for (const NodeId heard : graph.neighbours(0)) {
        for (NodeId u = 1; u < 7; ++u) {
          const double outsider = single_message_loss(power, heard, u, {});
          const double member = single_message_loss(power, heard, u, {0});
          EXPECT_LE(outsider, formula[u] + 1e-12);
          EXPECT_LE(outsider, member + 1e-15);
          EXPECT_LE(member, joint.leverage[u] + 1e-12);
          sum[u] += outsider;
        }
      }
      power = product(w, power);
    }
    const double messages = 4.0 * static_cast<double>(graph.degree(0));
    for (NodeId u = 1; u < 7; ++u) {
      EXPECT_NEAR(sum[u], formula[u], 1e-12);
      EXPECT_LE(formula[u] / messages, joint.leverage[u] + 1e-12) << "a lower bound it does give";
    }
  }
}

TEST(PublishedFormula, AMemberKnowsMoreThanOneMessageOfTheFormula) {
  // Path 1 - 0 - 2 - 3 in the order 0..3 = line: node 1 hears node 2's second message (z1 + z2 + z3) / 3 and
  // knows z1, so one message alone costs z3 a half, not the published third.
  const Graph graph = testing::make_graph("line", {{"nodes", 4}});
  const testing::RationalMatrix w = testing::dense(metropolis_weights(graph));
  EXPECT_NEAR(single_message_loss(w, 2, 3, {}), 1.0 / 3, 1e-15);
  EXPECT_NEAR(single_message_loss(w, 2, 3, {1}), 1.0 / 2, 1e-15);
}

TEST(PublishedFormula, RandomGraphFormAndItsShortfall) {
  const Graph graph = testing::make_graph("erdos_renyi", {{"nodes", 200}, {"mean_degree", 7.0}}, 3);
  const GossipMatrix matrix = metropolis_weights(graph);
  const NodeId v = 0;
  const auto formula = muffliato_random_graph_as_published(graph, v, 2);
  const auto degree = static_cast<double>(graph.degree(v));
  std::size_t short_pairs = 0;
  const LeverageScores exact = leverage_scores(matrix, make_adversary(graph, {v}), {2});
  for (NodeId u = 1; u < 200; ++u) {
    if (graph.has_edge(u, v)) {
      EXPECT_EQ(formula[u], 1.0);
    } else {
      EXPECT_DOUBLE_EQ(formula[u], std::min(1.0, 4 * degree / (200 - degree)));
      if (exact.leverage[u] > formula[u]) ++short_pairs;
    }
  }
  EXPECT_EQ(formula[v], 0.0);
  EXPECT_GT(short_pairs, 0U) << "an observer who knows the graph sees more than the average over graphs";
  EXPECT_EQ(muffliato_random_graph_as_published(testing::make_graph("star", {{"nodes", 6}}), 0, 1)[3], 1.0);
}

TEST(FormulaSurvey, FlorentineAtSevenRounds) {
  // Ordered pairs (u, v), u != v, Metropolis weights, messages of rounds 0 to 6, formula capped at 1.
  const Graph graph = testing::make_graph("florentine");
  const std::vector<std::size_t> rounds = {7};
  const FormulaGap gap = formula_gaps(NamedMatrix{"Florentine", metropolis_weights(graph)}, rounds)[0];
  EXPECT_EQ(gap.pairs, 210U);
  EXPECT_EQ(gap.exceeded, 132U);
  EXPECT_EQ(gap.reconstructible, 147U);
  std::size_t counted = 0;
  for (NodeId v = 0; v < 15; ++v) {
    const auto exact = leverage_scores(metropolis_weights(graph), make_adversary(graph, {v}), {7});
    const auto formula = muffliato_pairwise_as_published(metropolis_weights(graph), v, 7);
    for (NodeId u = 0; u < 15; ++u) counted += u != v && exact.leverage[u] > formula[u] + 1e-9 ? 1 : 0;
  }
  EXPECT_EQ(counted, 132U) << "the cap does not change the count";
}

TEST(FormulaSurvey, TheTableOfTheDocumentationIsGenerated) {
  EARSHOT_NEEDS_DATASET("facebook-ego");
  const std::vector<std::size_t> rounds = {2, 5, 10, 20};
  const auto topologies = survey_topologies({testing::data_directory(), "."});
  const std::string table = to_markdown(formula_gaps(topologies, rounds));
  const std::string page = read_text(std::string(EARSHOT_SOURCE_DIR) + "/docs/network-privacy.md");
  EXPECT_NE(page.find(table), std::string::npos) << table;
}

TEST(FormulaSurvey, RefusesZeroRounds) {
  const NamedMatrix ring{"ring", metropolis_weights(testing::make_graph("ring", {{"nodes", 5}}))};
  testing::error_of(Fault::kConfig, [&] { formula_gaps(ring, std::vector<std::size_t>{0}); });
  testing::error_of(Fault::kConfig, [&] { formula_gaps(ring, std::vector<std::size_t>{}); });
  testing::error_of(Fault::kConfig, [&] { muffliato_pairwise_as_published(ring.matrix, 0, 0); });
  testing::error_of(Fault::kConfig, [&] { muffliato_pairwise_as_published(ring.matrix, 9, 1); });
  testing::error_of(Fault::kConfig, [&] { muffliato_random_graph_as_published(ring.matrix.graph(), 9, 1); });
}

}  // namespace
}  // namespace earshot
