#include <cmath>
#include <deque>

#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
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
              Round rounds, const FaultOptions& faults = {}) {
  std::deque<GossipAveraging> nodes;
  std::vector<Participant*> participants;
  for (NodeId node = 0; node < start.size(); ++node) {
    participants.push_back(&nodes.emplace_back(matrix, node, start[node], mixing));
  }
  FixedTopology topology(matrix.graph());
  LocalNetwork network(topology, participants);
  network.suffer(faults, 3, 0);
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

/// How far the sum of any coordinate moved.
double drift(const Values& start, const Values& end) {
  double worst = 0;
  for (std::size_t i = 0; i < start[0].size(); ++i)
    worst = std::max(worst, std::abs(total(end, i) - total(start, i)));
  return worst;
}

TEST(GossipAveraging, KeepsTheMeanWhenLinksFailAndNodesCrash) {
  const GossipMatrix w = metropolis_weights(ring_with_chord());
  const Values start = random_values(6, 20);
  FaultOptions links, crashes;
  links.loss = 0.4;
  links.symmetric = true;
  crashes.crash = 0.2;
  crashes.comeback = 0.5;
  for (const FaultOptions& faults : {links, crashes}) {
    const Values end = gossip(w, start, {}, 200, faults);
    EXPECT_LT(drift(start, end), 1e-12);
    EXPECT_LT(disagreement(end), 1e-5);
  }
}

TEST(GossipAveraging, AgreesOnSomethingElseWhenOneDirectionIsLostOrLate) {
  const GossipMatrix w = metropolis_weights(ring_with_chord());
  const Values start = random_values(6, 20);
  FaultOptions loss, delay;
  loss.loss = 0.4;
  delay.delay = 0.5;
  for (const FaultOptions& faults : {loss, delay}) {
    const Values end = gossip(w, start, {}, 400, faults);
    EXPECT_LT(disagreement(end), 1e-5);
    EXPECT_GT(drift(start, end), 1e-3);
  }
}

TEST(GossipAveraging, AcceleratedItKeepsTheMeanWhenLinksFailButNotWhenNodesCrash) {
  // The second-order recurrence counts on every value having moved in every round: a node that was down takes
  // its old value for the one before.
  const GossipMatrix w = metropolis_weights(ring_with_chord());
  const Values start = random_values(6, 3);
  const auto mixing = chebyshev_mixing(second_eigenvalue_modulus(w), 30);
  FaultOptions links, crashes;
  links.loss = 0.4;
  links.symmetric = true;
  crashes.crash = 0.2;
  crashes.comeback = 0.5;
  EXPECT_LT(drift(start, gossip(w, start, mixing, 30, links)), 1e-12);
  EXPECT_GT(drift(start, gossip(w, start, mixing, 30, crashes)), 1e-6);
}

TEST(GossipAveraging, LosingEverythingChangesNothing) {
  const GossipMatrix w = metropolis_weights(ring_with_chord());
  const Values start = random_values(6, 40);
  FaultOptions faults;
  faults.loss = 1;
  const Values end = gossip(w, start, {}, 10, faults);
  for (std::size_t v = 0; v < 6; ++v) {
    for (std::size_t i = 0; i < 40; ++i) EXPECT_NEAR(end[v][i], start[v][i], 1e-14);
  }
}

TEST(MixNeighbourhood, EqualsTheSumWrittenOutForAnyLength) {
  Stream stream({2, Purpose::kTest});
  for (const std::size_t size : {1U, 15U, 16U, 17U, 50U}) {
    Values values(5, std::vector<double>(size));
    for (auto& value : values) stream.fill_normal(value, 1.0);
    const std::vector<double> weights = {0.2, 0.3, 0.1};
    const std::vector<std::span<const double>> heard = {values[0], {}, values[1]};
    std::vector<double> next = values[2];  // previous and next are one
    mix_neighbourhood({0.4, weights}, 1.25, Inbox(heard), {next, values[3], next});
    for (std::size_t i = 0; i < size; ++i) {
      const double mean = (0.4 + 0.3) * values[3][i] + 0.2 * values[0][i] + 0.1 * values[1][i];
      EXPECT_NEAR(next[i], 1.25 * mean - 0.25 * values[2][i], 1e-15);
    }
  }
}

TEST(MixNeighbourhood, RefusesAVectorOfAnotherLength) {
  const std::vector<double> own(3), other(4), weights = {0.5};
  const std::vector<std::span<const double>> heard = {other};
  std::vector<double> next(3);
  EXPECT_THROW(mix_neighbourhood({0.5, weights}, 1.0, Inbox(heard), {{}, own, next}), Error);
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
