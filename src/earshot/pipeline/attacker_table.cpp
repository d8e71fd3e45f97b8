#include "earshot/pipeline/attacker_table.hpp"

#include <algorithm>

#include "earshot/graph/centrality.hpp"
#include "earshot/graph/spectrum.hpp"

namespace earshot {

std::vector<std::string> attacker_columns(bool with_attack) {
  std::vector<std::string> columns = {"attacker",
                                      "size",
                                      "degree",
                                      "eigenvector",
                                      "betweenness",
                                      "reconstructed",
                                      "reconstructed_share",
                                      "recoverable_share",
                                      "saturation_round"};
  if (with_attack) columns.insert(columns.end(), {"success_rate", "mean_psnr"});
  return columns;
}

Json attacker_table(const Stage& stage, const StageExposure& exposed, double roundoff,
                    const std::vector<AttackTally>* tallies) {
  const Graph& graph = stage.graph();
  const auto degree = degree_centrality(graph);
  const auto eigenvector = eigenvector_centrality(graph);
  const auto betweenness = betweenness_centrality(graph);
  RowTable table(attacker_columns(tallies != nullptr));
  for (std::size_t i = 0; i < stage.adversaries.size(); ++i) {
    const Adversary& adversary = stage.adversaries[i];
    const Exposure& exposure = exposed.exposures[i];
    const bool alone = adversary.colluding.size() == 1 && adversary.tapped.empty();
    const auto centrality = [&](const std::vector<double>& values) {
      return alone ? Json(values[adversary.colluding[0]]) : Json(nullptr);
    };
    std::size_t recovered = 0;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
      recovered += recoverable(exposure, exposed.amplification[i], node, roundoff) ? 1U : 0U;
    }
    Json row = {adversary_name(graph, adversary),
                adversary.colluding.size(),
                centrality(degree),
                centrality(eigenvector),
                centrality(betweenness),
                exposure.reconstructible().size(),
                exposure.share(),
                static_cast<double>(recovered) / static_cast<double>(graph.node_count()),
                exposure.saturated ? Json(exposure.rounds) : Json(nullptr)};
    if (tallies != nullptr) {
      row.push_back((*tallies)[i].success_rate);
      row.push_back((*tallies)[i].mean_psnr);
    }
    table.add(std::move(row));
  }
  return table.json();
}

std::vector<std::optional<std::size_t>> distances_from(const Graph& graph, const Adversary& adversary) {
  std::vector<std::optional<std::size_t>> nearest(graph.node_count());
  for (const auto* group : {&adversary.colluding, &adversary.tapped}) {
    for (const NodeId member : *group) {
      const auto hops = hop_distances(graph, member);
      for (std::size_t v = 0; v < hops.size(); ++v) {
        if (hops[v] && (!nearest[v] || *hops[v] < *nearest[v])) nearest[v] = hops[v];
      }
    }
  }
  return nearest;
}

std::vector<std::string> victim_columns() {
  return {"attacker", "victim", "distance", "identified", "first_round", "amplification"};
}

Json victim_row(const Stage& stage, const StageExposure& exposed, std::size_t adversary, NodeId victim,
                const std::vector<std::optional<std::size_t>>& distances) {
  const Exposure& exposure = exposed.exposures[adversary];
  const auto number = [](const std::optional<std::size_t>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  return {adversary_name(stage.graph(), stage.adversaries[adversary]),
          stage.graph().name(victim),
          number(distances[victim]),
          exposure.first_round[victim] ? 1 : 0,
          number(exposure.first_round[victim]),
          exposure.first_round[victim] ? finite_or_null(exposed.amplification[adversary][victim])
                                       : Json(nullptr)};
}

}  // namespace earshot
