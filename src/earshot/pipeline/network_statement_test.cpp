#include "earshot/pipeline/network_statement.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/accounting/gaussian_curve.hpp"
#include "earshot/mechanism/gaussian.hpp"
#include "earshot/protocol/muffliato.hpp"
#include "earshot/protocol/test_setting.hpp"

namespace earshot {
namespace {

using ::testing::HasSubstr;

constexpr double kSigma = 4;
constexpr double kDelta = 1e-5;

Protection gaussian(Protection protection = {}) {
  protection.scope = ProtectedScope::kBatch;
  protection.mechanism = std::make_shared<GaussianMechanism>(
      clipped_terms(Norm::kL2, 1, Adjacency::kReplace, "one node's whole data"), kSigma, kDelta);
  protection.delta = kDelta;
  return protection;
}

GossipMatrix star(std::size_t leaves) {
  std::vector<Edge> edges;
  for (std::size_t leaf = 1; leaf <= leaves; ++leaf) edges.emplace_back(0, static_cast<NodeId>(leaf));
  return metropolis_weights(Graph(leaves + 1, edges));
}

struct Trained {
  Trained(const ProtocolComponent& component, std::size_t nodes, const GossipMatrix* matrix, Json given,
          Round rounds, Protection protection = gaussian())
      : small(nodes, 3) {
    given["rounds"] = rounds;
    protocol = component.make(testing::settings_of(component, given), small.parts(protection, matrix));
    testing::train(*protocol, small.start.size(), rounds);
  }
  const DecentralisedTraining& training() const {
    return dynamic_cast<const DecentralisedTraining&>(*protocol);
  }
  testing::SmallTask small;
  std::unique_ptr<Protocol> protocol;
};

/// Sensitivity 2 (replacement under clipping to 1), `squares` times (2 / sigma)^2 in all.
double epsilon_of(double squares) {
  return gaussian_epsilon(2 * std::sqrt(squares) / kSigma, kDelta);
}

/// The hub hears every leaf's first message as it is: local privacy of one release. A leaf hears only the
/// hub, whose first message holds none of the other leaves.
TEST(NetworkStatement, OneRoundOfDgdOnAStar) {
  const GossipMatrix matrix = star(4);
  const Trained run(dgd_component(), 5, &matrix, {}, 1);
  const NetworkAnswer hub = network_statement(run.training(), make_adversary(matrix.graph(), {0}));
  ASSERT_TRUE(hub.statement);
  EXPECT_NEAR(*hub.statement->epsilon, epsilon_of(1), 1e-9);
  const NetworkAnswer leaf = network_statement(run.training(), make_adversary(matrix.graph(), {1}));
  EXPECT_THAT(leaf.statement->definition, HasSubstr("of 0,"));
  EXPECT_NEAR(*worst_node_statement(run.training()).statement->epsilon, epsilon_of(1), 1e-9);
}

/// A leaf hears z_0 and then the hub's average of five noisy values with weights 1/5, of which it knows two:
/// each of the other three leaves has a third of it, the hub all. Alone, nobody would be hidden.
TEST(NetworkStatement, TwoGossipStepsHideALeafAmongTheOthers) {
  for (const std::size_t leaves : {2U, 4U, 7U}) {
    const GossipMatrix matrix = star(leaves);
    const Trained run(muffliato_component(), leaves + 1, &matrix, {{"gossip_steps", 2}}, 1);
    const Adversary leaf = make_adversary(matrix.graph(), {1});
    const double others = static_cast<double>(leaves) - 1;
    EXPECT_NEAR(*network_statement(run.training(), leaf, 2).statement->epsilon, epsilon_of(1 / others), 1e-9);
    EXPECT_NEAR(*network_statement(run.training(), leaf, 0).statement->epsilon, epsilon_of(1), 1e-9);
    EXPECT_NEAR(*network_statement(run.training(), leaf).statement->epsilon, epsilon_of(1), 1e-9);
  }
}

/// Two separate pairs: the other pair loses nothing.
TEST(NetworkStatement, WhoIsNotHeardLosesNothing) {
  const std::vector<Edge> edges = {{0, 1}, {2, 3}};
  const GossipMatrix matrix = metropolis_weights(Graph(4, edges));
  const Trained run(dgd_component(), 4, &matrix, {}, 3);
  const NetworkAnswer answer = network_statement(run.training(), make_adversary(matrix.graph(), {0}));
  EXPECT_NEAR(*answer.statement->epsilon, epsilon_of(3), 1e-6);
  EXPECT_THAT(answer.statement->definition, HasSubstr("of 1,"));
  EXPECT_EQ(*network_statement(run.training(), make_adversary(matrix.graph(), {0}), 2).statement->epsilon, 0);
}

/// D-PSGD sends a contribution one round later: with two rounds, one contribution has been heard.
TEST(NetworkStatement, DpsgdIsOneRoundBehind) {
  const GossipMatrix matrix = star(3);
  const Trained first(d_psgd_component(), 4, &matrix, {}, 1);
  EXPECT_EQ(*worst_node_statement(first.training()).statement->epsilon, 0);
  const Trained second(d_psgd_component(), 4, &matrix, {}, 2);
  EXPECT_NEAR(*worst_node_statement(second.training()).statement->epsilon, epsilon_of(1), 1e-9);
}

/// The exact loss never exceeds the local one, on fixed graphs and on those drawn.
TEST(NetworkStatement, IsNeverWorseThanTheLocalStatement) {
  const GossipMatrix matrix = star(5);
  for (const Round rounds : {1U, 2U, 4U}) {
    const Trained fixed(muffliato_component(), 6, &matrix, {}, rounds);
    const Trained drawn(muffliato_random_component(), 6, nullptr, {{"c", 1}}, rounds);
    for (const Trained* run : {&fixed, &drawn}) {
      const double exact = *worst_node_statement(run->training()).statement->epsilon;
      EXPECT_LE(exact, epsilon_of(rounds) * (1 + 1e-9));
      EXPECT_GT(exact, 0);
    }
  }
}

TEST(NetworkStatement, SaysWhyThereIsNone) {
  const GossipMatrix matrix = star(4);
  const auto reason = [&](Json given, Protection protection = gaussian()) {
    const Trained run(muffliato_component(), 5, &matrix, std::move(given), 2, std::move(protection));
    const NetworkAnswer answer = worst_node_statement(run.training());
    EXPECT_FALSE(answer.statement);
    return answer.reason;
  };
  EXPECT_THAT(reason({}, no_protection()), HasSubstr("Gaussian"));
  EXPECT_THAT(reason({{"local_steps", 2}}), HasSubstr("several noisy steps"));
  EXPECT_THAT(reason({{"acceleration", "chebyshev"}}), HasSubstr("acceleration"));
  EXPECT_THAT(reason({{"latency", "exponential"}, {"skip_probability", 0.9}}), HasSubstr("no noise"));
  const Trained large(muffliato_component(), 5, &matrix, {}, 400);
  EXPECT_THAT(worst_node_statement(large.training()).reason, HasSubstr("too large"));
}

}  // namespace
}  // namespace earshot
