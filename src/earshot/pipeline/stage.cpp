#include "earshot/pipeline/stage.hpp"

#include <cmath>

#include "earshot/attack/gossip/gossip_attack.hpp"
#include "earshot/core/parallel.hpp"
#include "earshot/graph/spectrum.hpp"
#include "earshot/pipeline/components.hpp"

namespace earshot {

Stage build_stage(const Cell& cell, const TrialAddress& address, const GraphSources& sources) {
  const Choice& graph_choice = cell.at("graph");
  const Choice& weights_choice = cell.at("weights");
  const Choice& adversary_choice = cell.at("adversary");
  Stream graph_stream(address.stream(Purpose::kGraph));
  const Graph graph = graph_component(graph_choice.kind).make(graph_choice.settings, graph_stream, sources);
  GossipMatrix matrix = weights_component(weights_choice.kind).make(graph, weights_choice.settings, sources);
  Stream coalition_stream(address.stream(Purpose::kCoalition));
  auto adversaries =
      adversary_component(adversary_choice.kind).make(adversary_choice.settings, graph, coalition_stream);
  return {std::move(matrix), std::move(adversaries)};
}

std::size_t recorded_rounds(const Cell& cell) {
  const Choice* attack = cell.find("attack");
  const std::size_t all = cell.at("protocol").settings.size("rounds");
  if (attack == nullptr || !attack->settings.has("window") || attack->settings.size("window") == 0)
    return all;
  return std::min(all, attack->settings.size("window"));
}

double unit_roundoff(const Cell& cell) {
  return cell.at("protocol").settings.text("message_precision") == "float32" ? 0x1.0p-24 : kDoubleRoundoff;
}

StageExposure expose(const Stage& stage, std::size_t rounds) {
  StageExposure out;
  out.exposures = analyse_exposures(stage.matrix, stage.adversaries, {rounds});
  out.amplification.resize(out.exposures.size());
  parallel_for(out.exposures.size(), [&](std::size_t i) {
    // Rounds past saturation bring no new direction but still average noise away: count all that were asked
    // for.
    const std::size_t heard_rounds = rounds == 0 ? out.exposures[i].rounds : rounds;
    out.amplification[i] = gossip_amplification(stage.matrix, stage.adversaries[i], heard_rounds);
  });
  return out;
}

bool recoverable(const Exposure& exposure, std::span<const double> amplification, NodeId node,
                 double roundoff) {
  constexpr double kTolerance = 0.01;
  return exposure.first_round[node].has_value() && amplification[node] * roundoff <= kTolerance;
}

Json network_json(const Stage& stage, std::size_t rounds) {
  const Graph& graph = stage.graph();
  Json nodes = Json::array();
  for (NodeId node = 0; node < graph.node_count(); ++node) nodes.push_back({{"name", graph.name(node)}});
  Json edges = Json::array();
  for (const auto& [a, b] : graph.edges()) edges.push_back({a, b});
  const auto longest = diameter(graph);
  return {{"nodes", std::move(nodes)},
          {"edges", std::move(edges)},
          {"diameter", longest ? Json(*longest) : Json(nullptr)},
          {"spectral_gap", spectral_gap(stage.matrix)},
          {"rounds", rounds}};
}

namespace {

/// Hidden relations are listed, with exact coefficients, while they stay readable.
constexpr std::size_t kLargestRelationGraph = 64;
constexpr std::size_t kRelationPrimes = 6;

Json relations_json(const Stage& stage, const Exposure& exposure) {
  Json out = Json::array();
  if (stage.graph().node_count() > kLargestRelationGraph) return out;
  for (const Relation& relation :
       hidden_relations(stage.matrix, exposure.adversary, {exposure.rounds}, kRelationPrimes)) {
    Json nodes = Json::array();
    for (const NodeId node : relation.nodes) nodes.push_back(stage.graph().name(node));
    out.push_back({{"nodes", std::move(nodes)}, {"coefficients", relation.coefficients}});
  }
  return out;
}

Json one_exposure(const Stage& stage, const Exposure& exposure, std::span<const double> amplification,
                  double roundoff) {
  const Graph& graph = stage.graph();
  Json attackers = Json::array();
  for (const NodeId node : exposure.adversary.colluding) attackers.push_back(graph.name(node));
  Json reconstructible = Json::array();
  Json recovered = Json::array();
  Json first_round = Json::object();
  Json amplified = Json::object();
  for (const NodeId node : exposure.reconstructible()) {
    const std::string name = graph.name(node);
    reconstructible.push_back(name);
    if (recoverable(exposure, amplification, node, roundoff)) recovered.push_back(name);
    first_round[name] = *exposure.first_round[node];
    amplified[name] = std::isfinite(amplification[node]) ? Json(amplification[node]) : Json(nullptr);
  }
  return {{"attackers", std::move(attackers)},     {"reconstructible", std::move(reconstructible)},
          {"recoverable", std::move(recovered)},   {"first_round", std::move(first_round)},
          {"amplification", std::move(amplified)}, {"by_round", exposure.by_round},
          {"saturated", exposure.saturated},       {"relations", relations_json(stage, exposure)}};
}

}  // namespace

Json exposure_json(const Stage& stage, const StageExposure& exposed, double roundoff) {
  Json out = Json::array();
  for (std::size_t i = 0; i < exposed.exposures.size(); ++i) {
    out.push_back(one_exposure(stage, exposed.exposures[i], exposed.amplification[i], roundoff));
  }
  return out;
}

}  // namespace earshot
