// A run of ADMM or PDMM that is overheard, with the truth beside it, for tests.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "earshot/attack/leak/primal_dual_gradients.hpp"
#include "earshot/protocol/primal_dual.hpp"
#include "earshot/protocol/primal_dual_node.hpp"
#include "earshot/protocol/primal_dual_test_setting.hpp"

namespace earshot::testing {

inline std::vector<NodeId> everybody(std::size_t nodes) {
  std::vector<NodeId> all;
  for (NodeId node = 0; node < nodes; ++node) all.push_back(node);
  return all;
}

/// Members, and taps on all wires of everybody else.
inline Adversary tapping_all(std::size_t nodes, std::vector<NodeId> members) {
  std::vector<NodeId> tapped;
  for (const NodeId node : everybody(nodes)) {
    if (!std::ranges::binary_search(members, node)) tapped.push_back(node);
  }
  return {std::move(members), std::move(tapped), {}};
}

struct OverheardRun {
  OverheardRun(const ProtocolComponent& component, Json given, const Graph& on, Adversary adversary,
               Round rounds, std::size_t per_node = 1, const Architecture& architecture = logistic(),
               Round first = 0, const std::optional<MessageKeys>& kept = {})
      : graph(on),
        matrix(metropolis_weights(on)),
        small(on.node_count(), per_node, 1, architecture),
        wire(network_of(component, on)) {
    given["rounds"] = rounds;
    protocol = component.make(settings_of(component, given), small.parts(no_protection(), &matrix));
    const std::vector<Adversary> adversaries{std::move(adversary)};
    const Round exchanges = protocol->exchanges();
    recorder = std::make_unique<Recorder>(wire.node_count(), adversaries, told(component, given),
                                          RoundWindow{first * exchanges, rounds * exchanges});
    if (kept) recorder->keep_only(0, {{}, *kept});
    protocol->start_encrypted([&](NodeId from, NodeId to, std::span<const double> message) {
      recorder->on_encrypted(from, to, message);
    });
    LocalNetwork network(protocol->topology(), protocol->participants());
    network.attach(*recorder);
    for (Round exchange = 0; exchange < rounds * exchanges; ++exchange) {
      network.run(1);
      remember();
    }
  }

  const View& view() const { return recorder->views()[0]; }
  PrimalDualTranscript transcript() const { return {view(), primal_dual_facts(view().told())}; }

  /// w of the node after exchange `at`.
  const Eigen::VectorXd& model(Round at, NodeId node) const { return models[at][node]; }
  /// grad f_i(w), times `scale` the mean over the records.
  Eigen::VectorXd gradient(NodeId node, const Eigen::VectorXd& w, double scale) const {
    std::vector<double> state(w.begin(), w.end()), out(state.size());
    small.task->gradient(state, {small.shards[node]}, out);
    return scale * Eigen::Map<const Eigen::VectorXd>(out.data(), w.size());
  }
  Eigen::VectorXd gradient(NodeId node, const Eigen::VectorXd& w) const {
    return gradient(node, w, static_cast<double>(small.shards[node].size()));
  }
  /// The node's first record.
  Eigen::VectorXd input(NodeId node) const {
    ExampleMemory memory;
    const Problems<double> records = small.examples->gather(small.shards[node], 1, 0, memory);
    return Eigen::Map<const Eigen::VectorXd>(records.inputs.data(), 2);
  }

  Graph graph;
  GossipMatrix matrix;
  SmallTask small;
  Graph wire;
  std::unique_ptr<Protocol> protocol;
  std::unique_ptr<Recorder> recorder;
  std::vector<std::vector<Eigen::VectorXd>> models;  // by exchange and node

 private:
  static Graph network_of(const ProtocolComponent& component, const Graph& on) {
    if (component.schema.name != "server_pdmm") return on;
    std::vector<Edge> edges;
    for (const NodeId node : everybody(on.node_count()))
      edges.emplace_back(node, static_cast<NodeId>(on.node_count()));
    return {on.node_count() + 1, edges};
  }

  PublicKnowledge told(const ProtocolComponent& component, const Json& given) const {
    PublicKnowledge known;
    known.protocol = protocol->public_facts();
    known.protocol["kind"] = component.schema.name;
    for (const auto& shard : small.shards) known.protocol["records"].push_back(shard.size());
    if (given.contains("batch")) known.protocol["batch"] = given.at("batch");
    known.network = &wire;
    return known;
  }

  void remember() {
    models.emplace_back();
    for (const Participant* one : protocol->participants()) {
      const auto state = dynamic_cast<const PrimalDualNode&>(*one).state();
      models.back().emplace_back(
          Eigen::Map<const Eigen::VectorXd>(state.data(), static_cast<Eigen::Index>(state.size())));
    }
  }
};

/// Settings of one of the rules whose formulas are exact.
inline Json exact_update() {
  return {{"update", "exact"}, {"tolerance", 1e-13}};
}
inline Json one_step() {
  return {{"update", "gradient"}, {"k_max", 1}, {"alpha", 0.1}};
}
inline Json parabola() {
  return {{"update", "quadratic"}, {"mu", 2.0}};
}
inline Json with(Json settings, const Json& more) {
  settings.update(more);
  return settings;
}
/// s of that rule.
inline double bend_of(const PrimalDualFacts& facts) {
  return bend_factor(facts.rule, facts.step.value_or(1));
}

}  // namespace earshot::testing
