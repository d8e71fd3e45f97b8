// For tests of what single steps show: trainings with clipping and noise, overheard, and what a node released
// in one of its steps, computed by a learner that never took part in them.
#pragma once

#include <memory>
#include <vector>

#include "earshot/attack/leak/leaks.hpp"
#include "earshot/mechanism/gaussian.hpp"
#include "earshot/protocol/test_setting.hpp"

namespace earshot::testing {

inline Protection clipped_noise(double sigma) {
  Protection protection;
  protection.scope = ProtectedScope::kBatch;
  protection.mechanism = std::make_shared<GaussianMechanism>(
      clipped_terms(Norm::kL2, 1, Adjacency::kReplace, "node"), sigma, 1e-6);
  protection.delta = 1e-6;
  return protection;
}

/// A protocol, on the graph of `more` where it needs one, overheard by `adversary` from an exchange on.
class OverheardSteps {
 public:
  OverheardSteps(const SmallTask& small, const char* kind, const Json& given, const Protection& protection,
                 Adversary adversary, Round rounds, const PublicKnowledge& more = {}, Round from = 0)
      : protocol_(find_training_protocol(kind)->make(settings_of(*find_training_protocol(kind), given),
                                                     small.parts(protection, more.gossip_matrix))),
        network_(protocol_->topology(), protocol_->participants()) {
    PublicKnowledge told = more;
    told.initial_parameters = small.start;
    told.protocol.update(protocol_->public_facts());
    told.protocol["kind"] = kind;
    if (told.protocol.contains("learning_rate"))
      told.learning_rate = told.protocol.at("learning_rate").get<double>();
    told.protocol["rounds"] = rounds;
    if (given.contains("batch")) told.protocol["batch"] = given.at("batch");
    for (const auto& shard : small.shards) told.protocol["records"].push_back(shard.size());
    const std::vector<Adversary> adversaries = {std::move(adversary)};
    const Round exchanges = rounds * protocol_->exchanges();
    recorder_ = std::make_unique<Recorder>(small.shards.size(), adversaries, std::move(told),
                                           RoundWindow{from, exchanges});
    network_.attach(*recorder_);
    network_.run(exchanges);
  }
  const View& view() const { return recorder_->views()[0]; }
  Protocol& protocol() { return *protocol_; }

 private:
  std::unique_ptr<Protocol> protocol_;
  LocalNetwork network_;
  std::unique_ptr<Recorder> recorder_;
};

/// Reads all that is said.
inline Adversary taps_on_all(const SmallTask& small) {
  Adversary adversary;
  for (NodeId node = 0; node < small.shards.size(); ++node) adversary.tapped.push_back(node);
  return adversary;
}

/// What the node's `step`-th step (from 0) releases at these parameters.
inline std::vector<double> released(const SmallTask& small, NodeId node, std::uint64_t step,
                                    std::vector<double> state, const Protection& protection,
                                    std::size_t batch = 0) {
  LearnerOptions options;
  options.batch.size = batch;
  Learner learner(*small.task, small.shards[node], options, protection, {1, 0, node});
  std::vector<double> gradient(small.start.size());
  for (std::uint64_t i = 0; i <= step; ++i) {
    std::vector<double> at = state;
    learner.gradient(at, gradient);
  }
  return gradient;
}

inline void expect_released(const SmallTask& small, const Leak& leak, std::uint64_t step,
                            const Protection& protection, double tolerance, std::size_t batch = 0) {
  const auto expected =
      released(small, leak.victim, step, leak.observation.terms.front().parameters, protection, batch);
  ASSERT_EQ(leak.observation.values.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(leak.observation.values[i], expected[i], tolerance)
        << "node " << leak.victim << ", round " << leak.round;
}

}  // namespace earshot::testing
