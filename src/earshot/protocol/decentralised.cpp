#include "earshot/protocol/decentralised.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

std::unique_ptr<Protocol> on_given_graph(const Settings& settings, ProtocolParts parts,
                                         AveragingOrder order) {
  auto topology = std::make_unique<FixedMixing>(*parts.gossip_matrix);
  return make_decentralised(settings, decentralised_options(settings, order), std::move(topology),
                            std::move(parts));
}

std::unique_ptr<Protocol> make_dgd(const Settings& settings, ProtocolParts parts) {
  return on_given_graph(settings, std::move(parts), AveragingOrder::kAdaptThenCombine);
}

std::unique_ptr<Protocol> make_d_psgd(const Settings& settings, ProtocolParts parts) {
  return on_given_graph(settings, std::move(parts), AveragingOrder::kCombineThenAdapt);
}

}  // namespace

DecentralisedTraining::DecentralisedTraining(DecentralisedOptions options, const LearnerOptions& learner,
                                             const LatencyOptions& latency,
                                             std::unique_ptr<MixingTopology> topology, ProtocolParts parts)
    : options_(std::move(options)),
      topology_(std::move(topology)),
      clock_(latency, parts.seed, parts.trial),
      scratch_(parts.task.parameter_count()),
      state_size_(parts.task.state_size()),
      node_count_(parts.shards.size()) {
  if (topology_->graph().node_count() != node_count_) {
    fail(Fault::kConfig, fmt::format("the graph has {} nodes, the data is spread over {}: make them equal",
                                     topology_->graph().node_count(), node_count_));
  }
  const bool three = !options_.mixing.empty() || options_.order == AveragingOrder::kCombineThenAdapt;
  arena_.resize((three ? 3 : 2) * node_count_ * state_size_);
  const DecentralisedNode::Common common{options_, *topology_, clock_, scratch_};
  for (std::size_t i = 0; i < node_count_; ++i) {
    LearnerOptions named = learner;
    named.name = parts.names[i];
    auto learning = std::make_unique<Learner>(parts.task, std::move(parts.shards[i]), named, parts.protection,
                                              NodeAddress{parts.seed, parts.trial, i});
    const DecentralisedNode::Memory memory = memory_of(i);
    std::ranges::copy(parts.start, memory.current.begin());
    nodes_.emplace_back(common, static_cast<NodeId>(i), std::move(learning), memory);
  }
}

/// All nodes' current states lie together, then all next ones, then whatever third vector is needed.
DecentralisedNode::Memory DecentralisedTraining::memory_of(std::size_t node) {
  const auto part = [&](std::size_t which) {
    return std::span(arena_).subspan((which * node_count_ + node) * state_size_, state_size_);
  };
  DecentralisedNode::Memory memory{part(0), part(1), {}, {}};
  if (!options_.mixing.empty()) memory.previous = part(2);
  if (options_.order == AveragingOrder::kCombineThenAdapt) memory.step = part(2);
  return memory;
}

std::vector<Participant*> DecentralisedTraining::participants() {
  std::vector<Participant*> all;
  for (DecentralisedNode& node : nodes_) all.push_back(&node);
  return all;
}

std::vector<Learner*> DecentralisedTraining::learners() {
  std::vector<Learner*> all;
  for (DecentralisedNode& node : nodes_) all.push_back(&node.learner());
  return all;
}

void DecentralisedTraining::result(std::span<double> state) const {
  std::ranges::fill(state, 0.0);
  for (const DecentralisedNode& node : nodes_) {
    const auto own = node.state();
    for (std::size_t i = 0; i < state.size(); ++i) state[i] += own[i] / static_cast<double>(node_count_);
  }
}

std::optional<double> DecentralisedTraining::disagreement() const {
  std::vector<double> mean(state_size_);
  result(mean);
  double sum = 0;
  for (const DecentralisedNode& node : nodes_) {
    const auto own = node.state();
    for (std::size_t i = 0; i < mean.size(); ++i) {
      sum += (own[i] - mean[i]) * (own[i] - mean[i]) / static_cast<double>(node_count_);
    }
  }
  return std::sqrt(sum);
}

Round DecentralisedTraining::rounds() const {
  Round done = 0;
  for (const DecentralisedNode& node : nodes_) done = std::max(done, node.rounds());
  return done;
}

std::optional<double> DecentralisedTraining::elapsed() const {
  if (!clock_.runs()) return {};
  for (const Round done = rounds(); counted_ < done; ++counted_) {
    elapsed_ += clock_.together(node_count_, counted_, options_.gossip_steps);
  }
  return elapsed_;
}

Json DecentralisedTraining::public_facts() const {
  return {{"learning_rate", options_.learning_rate},
          {"local_steps", options_.local_steps},
          {"gossip_steps", options_.gossip_steps},
          {"accelerated", !options_.mixing.empty()},
          {"sent", options_.order == AveragingOrder::kAdaptThenCombine ? "the state after the node's own step"
                                                                       : "the state before it"}};
}

void DecentralisedTraining::save(StateWriter& out) const {
  for (const DecentralisedNode& node : nodes_) node.save(out);
}

void DecentralisedTraining::load(StateReader& in) {
  for (DecentralisedNode& node : nodes_) node.load(in);
  elapsed_ = 0;
  counted_ = 0;
}

std::vector<Parameter> with_decentralised_parameters(double learning_rate, std::int64_t gossip_steps,
                                                     std::vector<Parameter> more) {
  std::vector<Parameter> all = {
      above_minimum(real_parameter("learning_rate", learning_rate, 0, 1e6, "step size eta")),
      integer_parameter("local_steps", 1, 1, 1'000'000, "gradient steps of a node in one round"),
      integer_parameter("gossip_steps", gossip_steps, 1, 100'000,
                        "exchanges with the neighbours in one round")};
  std::ranges::move(more, std::back_inserter(all));
  std::ranges::move(latency_parameters(), std::back_inserter(all));
  return with_common_parameters(std::move(all));
}

DecentralisedOptions decentralised_options(const Settings& settings, AveragingOrder order) {
  DecentralisedOptions options;
  options.order = order;
  options.learning_rate = settings.real("learning_rate");
  options.local_steps = settings.size("local_steps");
  options.gossip_steps = static_cast<Round>(settings.size("gossip_steps"));
  return options;
}

std::uint64_t decentralised_steps(const Settings& settings, std::size_t, std::size_t) {
  return settings.size("rounds") * settings.size("local_steps");
}

std::unique_ptr<Protocol> make_decentralised(const Settings& settings, DecentralisedOptions options,
                                             std::unique_ptr<MixingTopology> topology, ProtocolParts parts) {
  LearnerOptions learner;
  learner.batch = batch_options(settings);
  return std::make_unique<DecentralisedTraining>(std::move(options), learner, latency_options(settings),
                                                 std::move(topology), std::move(parts));
}

const ProtocolComponent& dgd_component() {
  static const ProtocolComponent component{
      {"protocol", "dgd",
       "decentralised gradient descent: local gradient step, then gossip on the parameters",
       "Nedic & Ozdaglar 2009; El Mrini, Cyffers & Bellet 2024", with_decentralised_parameters(1e-5, 1, {})},
      NetworkNeed::kWeights,
      decentralised_steps,
      make_dgd};
  return component;
}

const ProtocolComponent& d_psgd_component() {
  static const ProtocolComponent component{
      {"protocol", "d_psgd",
       "decentralised parallel SGD: gossip on the parameters, then a step by the gradient from before it",
       "Lian, Zhang, Zhang, Hsieh, Zhang & Liu 2017", with_decentralised_parameters(0.1, 1, {})},
      NetworkNeed::kWeights,
      decentralised_steps,
      make_d_psgd};
  return component;
}

}  // namespace earshot
