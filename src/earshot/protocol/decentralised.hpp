// Learning without a server: every node averages its state with its neighbours' and moves by its own
// gradient.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "earshot/protocol/decentralised_node.hpp"
#include "earshot/protocol/protocol.hpp"

namespace earshot {

/// D-GD, D-PSGD and Muffliato are settings of this. The states of all nodes lie in one stretch of memory.
class DecentralisedTraining : public Protocol {
 public:
  /// `learner` goes to every node, with the node's name.
  DecentralisedTraining(DecentralisedOptions options, const LearnerOptions& learner,
                        const LatencyOptions& latency, std::unique_ptr<MixingTopology> topology,
                        ProtocolParts parts);

  Topology& topology() override { return *topology_; }
  std::vector<Participant*> participants() override;
  Round exchanges() const override { return options_.gossip_steps; }
  std::vector<Learner*> learners() override;
  void result(std::span<double> state) const override;
  std::optional<double> disagreement() const override;
  std::optional<double> elapsed() const override;
  std::vector<std::string> warnings() const override { return topology_->warnings(); }
  Json public_facts() const override;
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;

  const DecentralisedNode& node(NodeId id) const { return nodes_[id]; }
  const DecentralisedOptions& options() const { return options_; }
  const MixingTopology& mixing() const { return *topology_; }
  /// Rounds of training done.
  Round rounds() const;

 private:
  DecentralisedNode::Memory memory_of(std::size_t node);

  DecentralisedOptions options_;
  std::unique_ptr<MixingTopology> topology_;
  LatencyClock clock_;
  VectorPool scratch_;
  std::size_t state_size_;
  std::size_t node_count_;
  std::vector<double> arena_;
  std::deque<DecentralisedNode> nodes_;
  // The time of the rounds counted so far: a sum that is taken up where it was left.
  mutable double elapsed_ = 0;
  mutable Round counted_ = 0;
};

/// "learning_rate", "local_steps", "gossip_steps", `more` and the clock's.
std::vector<Parameter> with_decentralised_parameters(double learning_rate, std::int64_t gossip_steps,
                                                     std::vector<Parameter> more);
DecentralisedOptions decentralised_options(const Settings& settings, AveragingOrder order);
/// Steps of one node in a whole run.
std::uint64_t decentralised_steps(const Settings& settings, std::size_t nodes, std::size_t largest_shard);
/// From those settings and a topology.
std::unique_ptr<Protocol> make_decentralised(const Settings& settings, DecentralisedOptions options,
                                             std::unique_ptr<MixingTopology> topology, ProtocolParts parts);

/// "dgd": adapt, then combine.
const ProtocolComponent& dgd_component();
/// "d_psgd": combine, then adapt.
const ProtocolComponent& d_psgd_component();

}  // namespace earshot
