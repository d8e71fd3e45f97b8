#include "earshot/graph/centrality.hpp"

#include <cmath>
#include <functional>
#include <numbers>

#include "earshot/core/parallel.hpp"
#include "earshot/graph/testing.hpp"

namespace earshot {
namespace {

/// Oracle: writes down every simple path of every pair and keeps the shortest ones.
std::vector<double> betweenness_by_enumeration(const Graph& graph) {
  const std::size_t nodes = graph.node_count();
  std::vector<double> score(nodes, 0);
  for (NodeId s = 0; s < nodes; ++s) {
    for (NodeId t = s + 1; t < nodes; ++t) {
      std::vector<std::vector<NodeId>> shortest;
      std::vector<NodeId> path{s};
      const std::function<void()> extend = [&] {
        if (!shortest.empty() && path.size() > shortest.front().size()) return;
        if (path.back() == t) {
          if (!shortest.empty() && path.size() < shortest.front().size()) shortest.clear();
          shortest.push_back(path);
          return;
        }
        for (const NodeId next : graph.neighbours(path.back())) {
          if (std::find(path.begin(), path.end(), next) != path.end()) continue;
          path.push_back(next);
          extend();
          path.pop_back();
        }
      };
      extend();
      for (const auto& one : shortest) {
        for (std::size_t i = 1; i + 1 < one.size(); ++i)
          score[one[i]] += 1 / static_cast<double>(shortest.size());
      }
    }
  }
  for (double& value : score) value /= static_cast<double>((nodes - 1) * (nodes - 2)) / 2;
  return score;
}

TEST(Betweenness, MatchesPathEnumeration) {
  for (std::uint64_t trial = 0; trial < 60; ++trial) {
    const Graph graph = testing::make_graph(
        "erdos_renyi",
        {{"nodes", 3 + static_cast<int>(trial % 6)}, {"p", 0.45}, {"connected", trial % 2 == 0}}, trial);
    const auto expected = betweenness_by_enumeration(graph);
    const auto measured = betweenness_centrality(graph);
    for (NodeId node = 0; node < graph.node_count(); ++node)
      EXPECT_NEAR(measured[node], expected[node], 1e-12) << "trial " << trial;
  }
}

TEST(Betweenness, PublishedFlorentineValues) {
  const Graph graph = testing::make_graph("florentine");
  const auto betweenness = betweenness_centrality(graph);
  EXPECT_NEAR(betweenness[graph.require("Medici")], 0.521978, 1e-6);
  EXPECT_NEAR(betweenness[graph.require("Guadagni")], 0.254579, 1e-6);
  EXPECT_NEAR(betweenness[graph.require("Strozzi")], 0.102564, 1e-6);
  EXPECT_EQ(betweenness[graph.require("Pazzi")], 0);
  EXPECT_DOUBLE_EQ(degree_centrality(graph)[graph.require("Medici")], 6.0 / 14);
}

TEST(Betweenness, PublishedKarateValues) {
  const Graph graph = testing::make_graph("karate");
  const auto betweenness = betweenness_centrality(graph);
  EXPECT_NEAR(betweenness[graph.require("1")], 0.437635, 1e-6);
  EXPECT_NEAR(betweenness[graph.require("34")], 0.304075, 1e-6);
  EXPECT_NEAR(betweenness[graph.require("33")], 0.145247, 1e-6);
}

TEST(Betweenness, DoesNotDependOnThreads) {
  const Graph graph = testing::make_graph("watts_strogatz", {{"nodes", 300}});
  const std::size_t before = thread_count();
  set_thread_count(1);
  const auto alone = betweenness_centrality(graph);
  set_thread_count(2);
  EXPECT_EQ(betweenness_centrality(graph), alone);
  set_thread_count(before);
}

TEST(Betweenness, LineClosedForm) {
  const auto betweenness = betweenness_centrality(testing::make_graph("line", {{"nodes", 9}}));
  for (int i = 0; i < 9; ++i)
    EXPECT_NEAR(betweenness[static_cast<std::size_t>(i)], i * (8 - i) / 28.0, 1e-14);
  EXPECT_THAT(betweenness_centrality(testing::make_graph("line", {{"nodes", 2}})), ::testing::Each(0));
}

/// Oracle: plain power iteration on A + I from equal values.
std::vector<double> power_iteration(const Graph& graph, int rounds) {
  std::vector<double> values(graph.node_count(), 1);
  std::vector<double> next(values.size());
  for (int round = 0; round < rounds; ++round) {
    double norm = 0;
    for (NodeId node = 0; node < values.size(); ++node) {
      next[node] = values[node];
      for (const NodeId other : graph.neighbours(node)) next[node] += values[other];
      norm += next[node] * next[node];
    }
    for (double& value : next) value /= std::sqrt(norm);
    std::swap(values, next);
  }
  return values;
}

void expect_same(const std::vector<double>& measured, const std::vector<double>& expected,
                 const std::string& name) {
  ASSERT_EQ(measured.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(measured[i], expected[i], 1e-7) << name << ' ' << i;
}

TEST(Eigenvector, MatchesPowerIteration) {
  for (const auto& [name, graph] : testing::sample_graphs())
    expect_same(eigenvector_centrality(graph), power_iteration(graph, 20000), name);
}

TEST(Eigenvector, LargeGraphsMatchPowerIterationAndClosedForms) {
  const Graph social = testing::make_graph("barabasi_albert", {{"nodes", 900}, {"links", 3}});
  expect_same(eigenvector_centrality(social), power_iteration(social, 3000), "barabasi_albert");
  const auto ring = eigenvector_centrality(testing::make_graph("ring", {{"nodes", 1000}}));
  for (const double value : ring) EXPECT_NEAR(value, std::sqrt(1e-3), 1e-9);
  // Path: sin(pi (i + 1) / (n + 1)), scaled by sqrt(2 / (n + 1)).
  const auto line = eigenvector_centrality(testing::make_graph("line", {{"nodes", 1500}}));
  for (std::size_t i = 0; i < line.size(); ++i)
    EXPECT_NEAR(line[i],
                std::sqrt(2 / 1501.0) * std::sin(std::numbers::pi * static_cast<double>(i + 1) / 1501), 1e-7);
}

TEST(Eigenvector, KarateAndFlorentineValues) {
  const Graph karate = testing::make_graph("karate");
  const auto values = eigenvector_centrality(karate);
  EXPECT_NEAR(values[karate.require("34")], 0.373363, 1e-6);
  EXPECT_NEAR(values[karate.require("1")], 0.355491, 1e-6);
  const Graph florentine = testing::make_graph("florentine");
  EXPECT_NEAR(eigenvector_centrality(florentine)[florentine.require("Medici")], 0.430308, 1e-6);
}

TEST(Eigenvector, TwoEqualPartsShareTheVector) {
  const Graph pairs(4, std::vector<Edge>{{0, 1}, {2, 3}});
  for (const double value : eigenvector_centrality(pairs)) EXPECT_NEAR(value, 0.5, 1e-12);
  for (const double value : eigenvector_centrality(Graph(4, {}))) EXPECT_NEAR(value, 0.5, 1e-12);
  EXPECT_TRUE(eigenvector_centrality(Graph()).empty());
}

TEST(Degree, IsAShareOfTheOthers) {
  const auto star = degree_centrality(testing::make_graph("star", {{"nodes", 5}}));
  EXPECT_THAT(star, ::testing::ElementsAre(1, 0.25, 0.25, 0.25, 0.25));
  EXPECT_THAT(degree_centrality(Graph(1, {})), ::testing::ElementsAre(0));
}

}  // namespace
}  // namespace earshot
