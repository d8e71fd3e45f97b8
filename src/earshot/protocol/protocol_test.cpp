#include <cmath>
#include <deque>

#include <gtest/gtest.h>

#include "earshot/graph/spectrum.hpp"
#include "earshot/mechanism/components.hpp"
#include "earshot/model/native/native_model.hpp"
#include "earshot/network/local_network.hpp"
#include "earshot/protocol/decentralised_gd.hpp"
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

TEST(DecentralisedGd, EqualsTheMatrixFormOfTheAlgorithm) {
  const GossipMatrix w = max_degree_weights(ring_with_chord());
  Architecture softmax;
  softmax.input = Shape{3};
  softmax.layers = {Dense{2}};
  const auto native = make_native_model(softmax);
  const Model& model = *native;
  const NoMechanism none;
  const double eta = 0.1;
  std::vector<double> start(model.parameter_count());
  Stream stream({4, Purpose::kTest});
  model.initialise(stream, start);
  std::deque<DecentralisedGd> nodes;
  std::vector<Participant*> participants;
  std::vector<Shard> shards;
  for (NodeId node = 0; node < 6; ++node) {
    Shard shard{1, std::vector<double>(3), {node % 2 == 0 ? 1.0 : 0.0, node % 2 == 0 ? 0.0 : 1.0}};
    stream.fill_normal(shard.inputs, 1.0);
    shards.push_back(shard);
    participants.push_back(
        &nodes.emplace_back(DecentralisedGd::Common{w, model, none, eta, 1, 0}, node, shard, start));
  }
  FixedTopology topology(w.graph());
  LocalNetwork network(topology, participants);
  network.run(4);

  Values theta(6, start);
  for (int t = 0; t < 4; ++t) {
    Values half = theta;
    std::vector<double> g(start.size());
    for (std::size_t v = 0; v < 6; ++v) {
      model.gradient(theta[v], shards[v].batch(), g);
      for (std::size_t i = 0; i < g.size(); ++i) half[v][i] -= eta * g[i];
    }
    std::vector<double> column(6), mixed(6);
    for (std::size_t i = 0; i < start.size(); ++i) {
      for (std::size_t v = 0; v < 6; ++v) column[v] = half[v][i];
      w.multiply(column, mixed);
      for (std::size_t v = 0; v < 6; ++v) theta[v][i] = mixed[v];
    }
  }
  for (std::size_t v = 0; v < 6; ++v) {
    for (std::size_t i = 0; i < start.size(); ++i) EXPECT_NEAR(nodes[v].parameters()[i], theta[v][i], 1e-13);
  }
}

TEST(AverageNeighbourhood, ASilentNeighboursShareStaysHome) {
  const GossipMatrix w = metropolis_weights(ring_with_chord());
  const std::vector<double> own = {2.0};
  const std::vector<std::span<const double>> silence(w.graph().degree(0));
  std::vector<double> out(1);
  average_neighbourhood(w, 0, own, Inbox(silence), out);
  EXPECT_NEAR(out[0], 2.0, 1e-15);
}

}  // namespace
}  // namespace earshot
