#include "earshot/attack/gossip/gossip_attack.hpp"

#include <cmath>
#include <deque>

#include <gtest/gtest.h>

#include "earshot/graph/spectrum.hpp"
#include "earshot/graph/testing.hpp"
#include "earshot/network/local_network.hpp"
#include "earshot/protocol/gossip_averaging.hpp"

namespace earshot {
namespace {

using Values = std::vector<std::vector<double>>;

Values random_values(std::size_t nodes, std::size_t dimension, std::uint64_t seed) {
  Stream stream({seed, Purpose::kTest});
  Values values(nodes, std::vector<double>(dimension));
  for (auto& value : values) stream.fill_normal(value, 1.0);
  return values;
}

void overhear_gossip(const GossipMatrix& matrix, const Values& values, const std::vector<double>& mixing,
                     Round rounds, Recorder& recorder) {
  std::deque<GossipAveraging> nodes;
  std::vector<Participant*> participants;
  for (NodeId v = 0; v < values.size(); ++v) {
    participants.push_back(&nodes.emplace_back(matrix, v, values[v], mixing));
  }
  FixedTopology topology(matrix.graph());
  LocalNetwork network(topology, participants);
  network.attach(recorder);
  network.run(rounds);
}

/// A participant whose updates are g + fresh noise, whatever its parameters: the assumption of the D-GD
/// attack.
class ConstantUpdate : public Participant {
 public:
  ConstantUpdate(const GossipMatrix& matrix, NodeId node, std::vector<double> update, double noise,
                 std::uint64_t trial)
      : matrix_(matrix),
        node_(node),
        update_(std::move(update)),
        half_(update_.size()),
        state_(update_.size(), 0.0),
        noise_(noise),
        trial_(trial) {}
  void speak(Round round, Outbox& out) override {
    Stream stream({1, Purpose::kWireNoise, trial_, node_, round});
    for (std::size_t i = 0; i < half_.size(); ++i)
      half_[i] = state_[i] + update_[i] + noise_ * stream.normal();
    out.broadcast(half_);
  }
  void listen(Round, const Inbox& in) override {
    mix_neighbourhood({matrix_.self_weight(node_), matrix_.weights(node_)}, 1, in, {{}, half_, state_});
  }
  void save(StateWriter&) const override {}
  void load(StateReader&) override {}

 private:
  const GossipMatrix& matrix_;
  NodeId node_;
  std::vector<double> update_, half_, state_;
  double noise_;
  std::uint64_t trial_;
};

LinearReconstruction attack_constant_updates(const GossipMatrix& matrix, const Adversary& adversary,
                                             const Values& updates, double noise, std::uint64_t trial,
                                             Round rounds, EstimatorKind kind) {
  PublicKnowledge told;
  told.gossip_matrix = &matrix;
  told.initial_parameters.assign(updates[0].size(), 0.0);
  told.learning_rate = 1.0;
  const std::vector<Adversary> adversaries = {adversary};
  Recorder recorder(matrix.graph(), adversaries, told, rounds);
  std::deque<ConstantUpdate> nodes;
  std::vector<Participant*> participants;
  for (NodeId v = 0; v < updates.size(); ++v) {
    participants.push_back(&nodes.emplace_back(matrix, v, updates[v], noise, trial));
  }
  FixedTopology topology(matrix.graph());
  LocalNetwork network(topology, participants);
  network.attach(recorder);
  network.run(rounds);
  return reconstruct_gradients(recorder.views()[0], analyse_exposure(matrix, adversary, {rounds}), kind,
                               kTruncation);
}

TEST(GossipReconstruction, RecoversIdentifiedValuesWithAndWithoutAcceleration) {
  const Graph graph = testing::make_graph("gossip_attack_example");
  const GossipMatrix matrix = metropolis_weights(graph);
  const Adversary adversary = make_adversary(graph, {0, 1});
  const Values values = random_values(12, 3, 1);
  for (const bool accelerated : {false, true}) {
    PublicKnowledge told;
    told.gossip_matrix = &matrix;
    if (accelerated) told.mixing = chebyshev_mixing(second_eigenvalue_modulus(matrix), 4);
    const std::vector<Adversary> adversaries = {adversary};
    Recorder recorder(graph, adversaries, told, 4);
    overhear_gossip(matrix, values, told.mixing, 4, recorder);
    const auto found = reconstruct_values(recorder.views()[0], analyse_exposure(matrix, adversary, {4}),
                                          EstimatorKind::kLeastSquares, kTruncation);
    for (std::size_t i = 0; i < found.targets.size(); ++i) {
      const NodeId node = found.targets[i];
      EXPECT_EQ(found.identified[i], node != 3 && node != 4);
      for (Eigen::Index j = 0; found.identified[i] && j < 3; ++j) {
        EXPECT_NEAR(found.values(static_cast<Eigen::Index>(i), j), values[node][static_cast<std::size_t>(j)],
                    1e-9);
      }
    }
  }
}

TEST(GradientReconstruction, RecoversConstantUpdatesExactlyOnEveryFlorentineAttacker) {
  const Graph graph = testing::make_graph("florentine");
  const GossipMatrix matrix = max_degree_weights(graph);
  const Values updates = random_values(15, 2, 7);
  for (NodeId attacker = 0; attacker < 15; ++attacker) {
    for (const auto kind : {EstimatorKind::kLeastSquares, EstimatorKind::kGeneralisedLeastSquares}) {
      const auto found =
          attack_constant_updates(matrix, make_adversary(graph, {attacker}), updates, 0, 0, 7, kind);
      for (std::size_t i = 0; i < found.targets.size(); ++i) {
        if (!found.identified[i]) continue;
        // reconstruct_gradients answers -g / eta with eta = 1.
        EXPECT_NEAR(found.values(static_cast<Eigen::Index>(i), 0), -updates[found.targets[i]][0], 1e-6)
            << graph.name(attacker) << " -> " << graph.name(found.targets[i]);
      }
    }
  }
}

TEST(GradientReconstruction, MonteCarloErrorEqualsTheStatedStandardError) {
  const Graph graph = testing::make_graph("florentine");
  const GossipMatrix matrix = max_degree_weights(graph);
  const Adversary adversary = make_adversary(graph, {graph.require("Medici")});
  const std::size_t dimension = 4000;  // every coordinate is an independent repetition
  const Values updates(15, std::vector<double>(dimension, 0.0));
  for (const auto kind : {EstimatorKind::kLeastSquares, EstimatorKind::kGeneralisedLeastSquares}) {
    const auto found = attack_constant_updates(matrix, adversary, updates, 0.3, 5, 7, kind);
    for (std::size_t i = 0; i < found.targets.size(); ++i) {
      const double measured =
          found.values.row(static_cast<Eigen::Index>(i)).norm() / std::sqrt(1.0 * dimension);
      // Relative sd of a standard deviation from 4000 samples is 1.1 %; 6 sd over 28 checks: false alarm
      // below 1e-7.
      EXPECT_NEAR(measured / (0.3 * found.standard_error[i]), 1.0, 0.067);
    }
  }
}

TEST(GradientReconstruction, ChangingTheTruthBehindAnEqualViewChangesNothing) {
  // x3 and x4 hang on the same parent: swapping their updates leaves every message node 0 and 1 hear
  // unchanged.
  const Graph graph = testing::make_graph("gossip_attack_example");
  const GossipMatrix matrix = metropolis_weights(graph);
  Values updates = random_values(12, 2, 3);
  const Adversary adversary = make_adversary(graph, {0, 1});
  const auto before =
      attack_constant_updates(matrix, adversary, updates, 0, 0, 5, EstimatorKind::kLeastSquares);
  std::swap(updates[3], updates[4]);
  const auto after =
      attack_constant_updates(matrix, adversary, updates, 0, 0, 5, EstimatorKind::kLeastSquares);
  EXPECT_LT((before.values - after.values).norm(), 1e-9);
}

TEST(GradientReconstruction, NeedsTheCommonStartingPoint) {
  const Graph graph = testing::make_graph("line", {{"nodes", 3}});
  const GossipMatrix matrix = metropolis_weights(graph);
  PublicKnowledge told;
  told.gossip_matrix = &matrix;
  const std::vector<Adversary> adversaries = {make_adversary(graph, {0})};
  Recorder recorder(graph, adversaries, told, 2);
  overhear_gossip(matrix, random_values(3, 1, 1), {}, 2, recorder);
  EXPECT_THROW(reconstruct_gradients(recorder.views()[0], analyse_exposure(matrix, adversaries[0], {2}),
                                     EstimatorKind::kLeastSquares, kTruncation),
               Error);
}

}  // namespace
}  // namespace earshot
