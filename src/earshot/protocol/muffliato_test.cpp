#include "earshot/protocol/muffliato.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/graph/spectrum.hpp"
#include "earshot/graph/topologies.hpp"
#include "earshot/mechanism/gaussian.hpp"
#include "earshot/protocol/central.hpp"
#include "earshot/protocol/decentralised.hpp"
#include "earshot/protocol/decentralised_oracle.hpp"
#include "earshot/protocol/test_setting.hpp"

namespace earshot {
namespace {

using ::testing::SizeIs;

constexpr double kRate = 0.3;

GossipMatrix random_matrix(std::size_t nodes, std::uint64_t seed) {
  Stream stream({seed, Purpose::kTest});
  return metropolis_weights(erdos_renyi(nodes, 0.4, true, stream));
}

std::unique_ptr<Protocol> make(const ProtocolComponent& component, Json given, ProtocolParts parts) {
  given["rounds"] = 20;
  given["learning_rate"] = kRate;
  return component.make(testing::settings_of(component, given), std::move(parts));
}

Protection gaussian(double clip, double sigma) {
  Protection protection;
  protection.scope = ProtectedScope::kBatch;
  protection.mechanism = std::make_shared<GaussianMechanism>(
      clipped_terms(Norm::kL2, clip, Adjacency::kReplace, "one node's whole data"), sigma, 1e-5);
  return protection;
}

std::vector<double> central(const testing::SmallTask& small, Round rounds) {
  const auto protocol = make(central_component(), {}, small.parts());
  return testing::train(*protocol, small.start.size(), rounds);
}

/// Without noise and with gossip until agreement, every round is a step of central gradient descent.
/// Acceleration needs fewer gossip steps for the same.
TEST(Muffliato, ManyGossipStepsMakeItCentral) {
  const testing::SmallTask small(6, 4);
  const GossipMatrix matrix = random_matrix(6, 2);
  const std::vector<double> expected = central(small, 5);
  for (const Json& given :
       {Json{{"gossip_steps", 300}}, {{"gossip_steps", 60}, {"acceleration", "chebyshev"}}}) {
    const auto protocol = make(muffliato_component(), given, small.parts(no_protection(), &matrix));
    const std::vector<double> got = testing::train(*protocol, small.start.size(), 5);
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-10);
    EXPECT_LT(*protocol->disagreement(), 1e-9);
  }
}

TEST(Muffliato, AccelerationStartsAnewInEveryRound) {
  const testing::SmallTask small(6, 4);
  const GossipMatrix matrix = random_matrix(6, 2);
  const auto protocol = make(muffliato_component(), {{"gossip_steps", 4}, {"acceleration", "chebyshev"}},
                             small.parts(no_protection(), &matrix));
  testing::train(*protocol, small.start.size(), 3);
  testing::MatrixForm oracle(small, testing::Order::kAdaptFirst, kRate);
  const auto omega = chebyshev_mixing(second_eigenvalue_modulus(matrix), 4);
  for (int t = 0; t < 3; ++t) oracle.round(std::vector(4, testing::dense(matrix)), {}, omega);
  const auto& training = dynamic_cast<const DecentralisedTraining&>(*protocol);
  for (NodeId v = 0; v < 6; ++v) {
    const std::vector<double> expected = oracle.state(v);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(training.node(v).state()[i], expected[i], 1e-12);
    }
  }
}

TEST(Muffliato, AcceleratedGossipGoesOnFromWithinARound) {
  const testing::SmallTask small(6, 4);
  const GossipMatrix matrix = random_matrix(6, 2);
  const auto fresh = [&] {
    return make(muffliato_component(), {{"gossip_steps", 5}, {"acceleration", "chebyshev"}},
                small.parts(gaussian(1, 0.5), &matrix));
  };
  const auto whole = fresh();
  const std::vector<double> expected = testing::train(*whole, small.start.size(), 2);
  const auto second = testing::stop_and_go_on(fresh, 8, 2);
  EXPECT_EQ(testing::result_of(*second, small.start.size()), expected);
}

/// A fresh graph in each round, the same for its gossip steps; goes on within a round to the bit.
TEST(MuffliatoRandom, EqualsTheMatrixFormOnTheGraphsDrawn) {
  const testing::SmallTask small(9, 3);
  const Json given = {{"c", 0.8}, {"gossip_steps", 2}};
  const auto protocol = make(muffliato_random_component(), given, small.parts());
  testing::train(*protocol, small.start.size(), 4);
  testing::MatrixForm oracle(small, testing::Order::kAdaptFirst, kRate);
  const RandomMixing drawn({9, connecting_probability(0.8, 9), false, 2, 1, 0});
  for (Round t = 0; t < 4; ++t) {
    oracle.round(std::vector(2, testing::dense(drawn.matrix(t))));
  }
  const auto& training = dynamic_cast<const DecentralisedTraining&>(*protocol);
  for (NodeId v = 0; v < 9; ++v) {
    const std::vector<double> expected = oracle.state(v);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(training.node(v).state()[i], expected[i], 1e-12);
    }
  }
  EXPECT_THAT(protocol->warnings(), SizeIs(2));
}

TEST(MuffliatoRandom, GoesOnFromWithinARoundToTheBit) {
  const testing::SmallTask small(9, 3);
  const auto fresh = [&] {
    return make(muffliato_random_component(), {{"gossip_steps", 3}}, small.parts(gaussian(1, 0.5)));
  };
  const auto whole = fresh();
  const std::vector<double> expected = testing::train(*whole, small.start.size(), 3);
  const auto second = testing::stop_and_go_on(fresh, 4, 5);
  EXPECT_EQ(testing::result_of(*second, small.start.size()), expected);
}

/// With gradients clipped to almost nothing the mean moves by -eta times the mean of the nodes' noises, whose
/// deviation is eta sigma / sqrt(n) per coordinate and does not depend on the graphs. 300 runs of 6
/// coordinates: the sum of squares is chi-square with 1,800 degrees of freedom, here within 6 deviations
/// (false alarm below 1e-6).
TEST(MuffliatoRandom, TheNoiseOfTheMeanIsThatOfAllNodesTogether) {
  const std::size_t n = 10;
  const double sigma = 2;
  const testing::SmallTask small(n, 2);
  double squares = 0;
  double count = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    ProtocolParts parts = small.parts(gaussian(1e-12, sigma));
    parts.seed = seed;
    const auto protocol = make(muffliato_random_component(), {}, std::move(parts));
    const std::vector<double> state = testing::train(*protocol, small.start.size(), 1);
    for (std::size_t i = 0; i < state.size(); ++i) {
      squares +=
          std::pow((state[i] - small.start[i]) * std::sqrt(static_cast<double>(n)) / (kRate * sigma), 2);
      ++count;
    }
  }
  EXPECT_NEAR(squares / count, 1, 6 * std::sqrt(2 / count));
}

TEST(Muffliato, RefusesWhatItCannotAccelerateAndContradictions) {
  const testing::SmallTask small(3, 3);
  const std::vector<Edge> edges = {{0, 1}, {1, 2}};
  const GossipMatrix matrix = uniform_neighbour_weights(Graph(3, edges));
  EXPECT_THROW(
      make(muffliato_component(), {{"acceleration", "chebyshev"}}, small.parts(no_protection(), &matrix)),
      Error);
  EXPECT_THROW(make(muffliato_random_component(), {{"c", 1}, {"edge_probability", 0.5}}, small.parts()),
               Error);
  EXPECT_THROW(make(muffliato_random_component(), {{"c", 10}}, small.parts()), Error);
}

}  // namespace
}  // namespace earshot
