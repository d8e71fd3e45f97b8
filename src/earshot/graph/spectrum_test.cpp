#include "earshot/graph/spectrum.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <complex>
#include <numbers>

#include "earshot/graph/eigensolve.hpp"
#include "earshot/graph/testing.hpp"

namespace earshot {
namespace {

using std::numbers::pi;

double modulus(const char* weights, const Graph& graph) {
  return second_eigenvalue_modulus(testing::make_weights(weights, graph));
}

TEST(Spectrum, RingHasCosines) {
  // Metropolis on a ring is circulant (1, 1, 1) / 3: eigenvalues (1 + 2 cos(2 pi k / n)) / 3.
  for (const int nodes : {3, 4, 5, 12, 101, 900}) {
    double expected = 0;
    for (int k = 1; k < nodes; ++k)
      expected = std::max(expected, std::abs(1 + 2 * std::cos(2 * pi * k / nodes)) / 3);
    EXPECT_NEAR(modulus("metropolis", testing::make_graph("ring", {{"nodes", nodes}})), expected, 1e-9)
        << nodes;
  }
}

TEST(Spectrum, LineHasHalfCosines) {
  // Path Laplacian eigenvalues 2 - 2 cos(pi k / n); W = I - L / 3 for Metropolis, I - L / 2 for max_degree.
  for (const int nodes : {2, 3, 30, 650, 1000}) {
    const Graph line = testing::make_graph("line", {{"nodes", nodes}});
    if (nodes == 2) {
      EXPECT_NEAR(modulus("metropolis", line), 0, 1e-12);
      EXPECT_EQ(modulus("max_degree", line), 1);  // they swap their values for ever
      continue;
    }
    EXPECT_NEAR(modulus("metropolis", line), 1 - (2 - 2 * std::cos(pi / nodes)) / 3, 1e-9) << nodes;
    EXPECT_NEAR(modulus("max_degree", line), std::cos(pi / nodes), 1e-9) << nodes;
  }
}

TEST(Spectrum, CompleteGraphAveragesInOneRound) {
  const Graph complete = testing::make_graph("complete", {{"nodes", 9}});
  EXPECT_NEAR(modulus("metropolis", complete), 0, 1e-14);
  EXPECT_NEAR(modulus("max_degree", complete), 1.0 / 8, 1e-14);  // (J - I) / (n - 1)
  EXPECT_EQ(mixing_time(metropolis_weights(complete)), 1U);
}

TEST(Spectrum, HypercubeHasBinomialSpectrum) {
  // Metropolis: (1 + d - 2k) / (1 + d); the second modulus is (d - 1) / (d + 1), at k = 1 and k = d.
  for (const int d : {2, 5, 10})
    EXPECT_NEAR(modulus("metropolis", testing::make_graph("hypercube", {{"dimension", d}})),
                (d - 1.0) / (d + 1.0), 1e-9);
}

TEST(Spectrum, Star) {
  // Metropolis: the leaves among themselves keep 1 - 1/n. Uniform neighbour: leaves keep 1/2.
  const Graph star = testing::make_graph("star", {{"nodes", 7}});
  EXPECT_NEAR(modulus("metropolis", star), 1 - 1.0 / 7, 1e-12);
  EXPECT_NEAR(modulus("uniform_neighbour", star), 0.5, 1e-12);
}

SparseMatrix to_sparse(const GossipMatrix& matrix) {
  const Graph& graph = matrix.graph();
  const auto nodes = static_cast<Eigen::Index>(graph.node_count());
  SparseMatrix sparse(nodes, nodes);
  for (NodeId u = 0; u < graph.node_count(); ++u) {
    sparse.insert(u, u) = matrix.self_weight(u);
    for (std::size_t i = 0; i < graph.degree(u); ++i)
      sparse.insert(u, graph.neighbours(u)[i]) = matrix.weights(u)[i];
  }
  return sparse;
}

/// Oracle: all eigenvalues of a symmetric W at once, ascending.
Eigen::VectorXd eigenvalues_of(const GossipMatrix& matrix) {
  const Eigen::MatrixXd dense(to_sparse(matrix));
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(dense, Eigen::EigenvaluesOnly).eigenvalues();
}

TEST(Spectrum, LazyHalvesTheDistanceToOne) {
  for (const auto& [name, graph] : testing::sample_graphs()) {
    const Eigen::VectorXd values = eigenvalues_of(metropolis_weights(graph));
    const double second = values[values.size() - 2];
    EXPECT_NEAR(modulus("lazy_metropolis", graph), (1 + second) / 2, 1e-12) << name;
    EXPECT_NEAR(modulus("metropolis", graph), std::max(std::abs(values[0]), std::abs(second)), 1e-12) << name;
  }
}

TEST(Spectrum, UniformNeighbourAgreesWithTheNonSymmetricSolver) {
  for (const auto& [name, graph] : testing::sample_graphs()) {
    const GossipMatrix matrix = uniform_neighbour_weights(graph);
    EXPECT_NEAR(second_eigenvalue_modulus(matrix), second_modulus_general(to_sparse(matrix)), 1e-8) << name;
  }
}

/// Weight travels one way round the ring: eigenvalues (1 + exp(2 pi i k / n)) / 2, complex.
GossipMatrix one_way_ring(std::size_t nodes) {
  const Graph ring = testing::make_graph("ring", {{"nodes", nodes}});
  std::vector<Rational> weights;
  for (NodeId u = 0; u < nodes; ++u) {
    for (const NodeId v : ring.neighbours(u))
      weights.push_back(v == (u + 1) % nodes ? Rational{1, 2} : Rational{0, 1});
  }
  return {ring, weights};
}

TEST(Spectrum, OneWayRingHasComplexEigenvalues) {
  for (const std::size_t nodes : {3U, 40U, 150U}) {
    const GossipMatrix ring = one_way_ring(nodes);
    const double expected = std::cos(pi / static_cast<double>(nodes));
    EXPECT_NEAR(second_eigenvalue_modulus(ring), expected, 1e-8) << nodes;
    // With Arnoldi first; on the longest ring it gives up and the dense solver takes over.
    EXPECT_NEAR(second_modulus_general(to_sparse(ring), 60), expected, 1e-8) << nodes;
  }
}

TEST(Spectrum, LargeOneWayExponentialGraph) {
  // Everyone listens to i + 1, i + 2, i + 4, ... but not back: circulant, eigenvalues are sums of roots of
  // unity.
  constexpr int kNodes = 700;
  const Graph graph = testing::make_graph("exponential", {{"nodes", kNodes}});
  std::vector<Rational> weights;
  for (int u = 0; u < kNodes; ++u) {
    for (const NodeId v : graph.neighbours(static_cast<NodeId>(u))) {
      const int hop = (static_cast<int>(v) - u + kNodes) % kNodes;
      weights.push_back((hop & (hop - 1)) == 0 ? Rational{1, 11} : Rational{0, 1});
    }
  }
  double expected = 0;
  for (int k = 1; k < kNodes; ++k) {
    std::complex<double> sum = 1;
    for (int hop = 1; hop < kNodes; hop *= 2) sum += std::polar(1.0, 2 * pi * k * hop / kNodes);
    expected = std::max(expected, std::abs(sum) / 11);
  }
  EXPECT_NEAR(second_eigenvalue_modulus({graph, weights}), expected, 1e-9);
}

TEST(Spectrum, LargeSocialGraphMatchesTheDenseSolver) {
  const GossipMatrix matrix =
      metropolis_weights(testing::make_graph("barabasi_albert", {{"nodes", 700}, {"links", 3}}));
  const Eigen::VectorXd values = eigenvalues_of(matrix);
  EXPECT_NEAR(second_eigenvalue_modulus(matrix), std::max(values[698], -values[0]), 1e-10);
}

TEST(Spectrum, WhatDoesNotMixHasGapZero) {
  EXPECT_EQ(spectral_gap(max_degree_weights(testing::make_graph("ring", {{"nodes", 2000}}))), 0);
  EXPECT_EQ(spectral_gap(metropolis_weights(Graph(4, std::vector<Edge>{{0, 1}, {2, 3}}))), 0);
  EXPECT_EQ(mixing_time(metropolis_weights(Graph(2, {}))), std::nullopt);
}

TEST(Spectrum, OneNode) {
  const GossipMatrix alone = metropolis_weights(Graph(1, {}));
  EXPECT_EQ(spectral_gap(alone), 1);
  EXPECT_EQ(mixing_time(alone), 0U);
}

TEST(Spectrum, MixingTimeIsWhenTheDisagreementHasShrunk) {
  for (const auto& [name, graph] : testing::sample_graphs()) {
    const GossipMatrix matrix = metropolis_weights(graph);
    const std::size_t rounds = mixing_time(matrix, 1e-2).value();
    std::vector<double> values(graph.node_count(), 0);
    std::vector<double> next(values.size());
    values[0] = 1;
    const auto disagreement = [&] {
      double sum = 0;
      for (const double value : values) sum += std::pow(value - 1 / static_cast<double>(values.size()), 2);
      return std::sqrt(sum);
    };
    const double before = disagreement();
    for (std::size_t round = 0; round < rounds; ++round) {
      matrix.multiply(values, next);
      std::swap(values, next);
    }
    EXPECT_LE(disagreement(), 1e-2 * before * (1 + 1e-9)) << name;
  }
}

}  // namespace
}  // namespace earshot
