// Decentralised gradient descent: a local gradient step, then one round of gossip on the parameters.
#pragma once

#include <vector>

#include "earshot/graph/gossip_matrix.hpp"
#include "earshot/mechanism/mechanism.hpp"
#include "earshot/model/model.hpp"
#include "earshot/network/participant.hpp"

namespace earshot {

/// One node's private records, owned by that node.
struct Shard {
  std::size_t size = 0;
  std::vector<double> inputs;
  std::vector<double> targets;
  Batch batch() const { return {size, inputs, targets}; }
};

/// Per round: g = -eta M(grad L(theta, shard)), theta^{t+1/2} = theta^t + g, theta^{t+1} = W theta^{t+1/2}
/// (Nedic & Ozdaglar 2009; El Mrini et al. 2024, Algorithm 2). The node sends theta^{t+1/2}. The mechanism M
/// touches the gradient before anything is derived from it, so all later messages are post-processing.
class DecentralisedGd : public Participant {
 public:
  struct Common {
    const GossipMatrix& matrix;
    const Model& model;
    const VectorMechanism& mechanism;
    double learning_rate;
    std::uint64_t seed;
    std::uint64_t trial;
  };
  DecentralisedGd(const Common& common, NodeId node, Shard shard, std::vector<double> initial_parameters);

  void speak(Round round, Outbox& out) override;
  void listen(Round round, const Inbox& in) override;
  void save(StateWriter& out) const override { out.reals(parameters_); }
  void load(StateReader& in) override { in.reals(parameters_); }
  std::span<const double> parameters() const { return parameters_; }
  const Shard& shard() const { return shard_; }
  /// What the mechanism let out, round by round.
  const std::vector<ReleasePointer>& releases() const { return releases_; }

 private:
  Common common_;
  NodeId node_;
  Shard shard_;
  std::vector<double> parameters_;
  std::vector<double> half_step_;
  std::vector<double> gradient_;
  std::vector<ReleasePointer> releases_;
};

}  // namespace earshot
