#include <cmath>
#include <deque>

#include <gtest/gtest.h>

#include "earshot/core/random.hpp"
#include "earshot/graph/spectrum.hpp"
#include "earshot/network/local_network.hpp"
#include "earshot/protocol/gossip_averaging.hpp"

namespace earshot {
namespace {

Graph ring_with_chord() {
  const std::vector<Edge> edges = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {0, 5}, {1, 4}};
  return Graph(6, edges);
}

using Values = std::vector<std::vector<double>>;

Values random_values(std::size_t nodes, std::size_t dimension) {
  Stream stream({11, Purpose::kTest});
  Values values(nodes, std::vector<double>(dimension));
  for (auto& value : values) stream.fill_normal(value, 1.0);
  return values;
}

Values gossip(const GossipMatrix& matrix, const Values& start, const std::vector<double>& mixing,
              Round rounds) {
  std::deque<GossipAveraging> nodes;
  std::vector<Participant*> participants;
  for (NodeId node = 0; node < start.size(); ++node) {
    participants.push_back(&nodes.emplace_back(matrix, node, start[node], mixing));
  }
  FixedTopology topology(matrix.graph());
  LocalNetwork network(topology, participants);
  network.run(rounds);
  Values out;
  for (const GossipAveraging& node : nodes) out.emplace_back(node.value().begin(), node.value().end());
  return out;
}

double disagreement(const Values& values) {
  double worst = 0;
  for (std::size_t i = 0; i < values[0].size(); ++i) {
    double mean = 0;
    for (const auto& v : values) mean += v[i] / static_cast<double>(values.size());
    for (const auto& v : values) worst = std::max(worst, std::abs(v[i] - mean));
  }
  return worst;
}

double total(const Values& values, std::size_t coordinate) {
  double sum = 0;
  for (const auto& v : values) sum += v[coordinate];
  return sum;
}

TEST(GossipAveraging, EqualsRepeatedMatrixProducts) {
  const GossipMatrix w = metropolis_weights(ring_with_chord());
  const Values start = random_values(6, 2);
  std::vector<double> expected(6), next(6);
  for (std::size_t i = 0; i < 6; ++i) expected[i] = start[i][1];
  for (int t = 0; t < 5; ++t) {
    w.multiply(expected, next);
    expected.swap(next);
  }
  const Values got = gossip(w, start, {}, 5);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(got[i][1], expected[i], 1e-14);
}

TEST(GossipAveraging, KeepsTheMeanAndAgreesWithOrWithoutAcceleration) {
  const GossipMatrix w = metropolis_weights(ring_with_chord());
  const Values start = random_values(6, 3);
  const auto mixing = chebyshev_mixing(second_eigenvalue_modulus(w), 60);
  for (const auto& omega : {std::vector<double>{}, mixing}) {
    const Values end = gossip(w, start, omega, 60);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(total(end, i), total(start, i), 1e-12);
    EXPECT_LT(disagreement(end), 1e-5);
  }
}

TEST(GossipAveraging, ChebyshevIsTheMinimaxPolynomial) {
  // After t rounds the disagreement along an eigenvector of eigenvalue x is T_t(x/lambda) / T_t(1/lambda).
  const GossipMatrix w = metropolis_weights(ring_with_chord());
  const double lambda = second_eigenvalue_modulus(w);
  const auto mixing = chebyshev_mixing(lambda, 12);
  double before = 1, now = lambda;  // the scalar recurrence at eigenvalue x = lambda
  for (std::size_t t = 1; t < 12; ++t) {
    const double next = mixing[t] * lambda * now + (1 - mixing[t]) * before;
    before = now;
    now = next;
  }
  EXPECT_NEAR(now, 1 / std::cosh(12 * std::acosh(1 / lambda)), 1e-12);
  const Values start = random_values(6, 1);
  EXPECT_LT(disagreement(gossip(w, start, mixing, 12)), disagreement(gossip(w, start, {}, 12)));
}

TEST(MixNeighbourhood, ASilentNeighboursShareStaysHome) {
  const GossipMatrix w = metropolis_weights(ring_with_chord());
  const std::vector<double> own = {2.0};
  const std::vector<std::span<const double>> silence(w.graph().degree(0));
  std::vector<double> out(1);
  mix_neighbourhood({w.self_weight(0), w.weights(0)}, 1.0, Inbox(silence), {{}, own, out});
  EXPECT_NEAR(out[0], 2.0, 1e-15);
}

}  // namespace
}  // namespace earshot
