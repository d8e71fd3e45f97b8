#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "commands.hpp"
#include "console.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/parallel.hpp"
#include "earshot/core/text.hpp"
#include "earshot/experiment/plan.hpp"
#include "earshot/graph/centrality.hpp"
#include "earshot/graph/spectrum.hpp"
#include "earshot/pipeline/components.hpp"
#include "earshot/pipeline/stage.hpp"
#include "graph_argument.hpp"
#include "topology_text.hpp"

namespace earshot::cli {
namespace {

/// Without attackers on the command line, every node of a graph up to this size is tried in turn.
constexpr std::size_t kSmallEnoughForAll = 300;

struct TopologyOptions : NetworkArguments {
  bool all_attackers = false;
  CommonOptions common;
};

void choose_attackers(const TopologyOptions& options, Stage& stage) {
  if (!options.attackers.empty()) {
    std::vector<NodeId> nodes;
    for (const std::string& name : options.attackers) nodes.push_back(stage.graph().require(name));
    stage.adversaries = {make_adversary(stage.graph(), nodes)};
  } else if (!options.all_attackers && stage.graph().node_count() > kSmallEnoughForAll) {
    stage.adversaries.clear();
    note(
        fmt::format("{} nodes: only facts of the graph; add --attackers ID,ID or --all-attackers for who "
                    "reconstructs whom",
                    stage.graph().node_count()));
  }
}

/// Node ids as in the input: a number stays a number.
Json node_id(const std::string& name) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool canonical =
      error == std::errc() && end == name.data() + name.size() && std::to_string(number) == name;
  return canonical ? Json(number) : Json(name);
}

Json with_ids(Json exposure) {
  for (Json& entry : exposure) {
    for (const char* key : {"attackers", "reconstructible", "recoverable"}) {
      for (Json& name : entry[key]) name = node_id(name.get<std::string>());
    }
  }
  return exposure;
}

/// Mean and largest share of nodes reconstructible after 1, 2, ... rounds, up to the last saturation.
Json share_by_round(const StageExposure& exposed, std::size_t nodes) {
  std::size_t last = 0;
  for (const Exposure& exposure : exposed.exposures) last = std::max(last, exposure.by_round.size());
  Json curve = Json::array();
  for (std::size_t t = 0; t < last; ++t) {
    double sum = 0;
    double best = 0;
    for (const Exposure& exposure : exposed.exposures) {
      const auto& counts = exposure.by_round;
      const std::size_t alone = exposure.adversary.colluding.size();
      const double count =
          static_cast<double>(counts.empty() ? alone : counts[std::min(t, counts.size() - 1)]);
      sum += count / static_cast<double>(nodes);
      best = std::max(best, count / static_cast<double>(nodes));
    }
    curve.push_back({{"rounds", t + 1},
                     {"mean_share", sum / static_cast<double>(exposed.exposures.size())},
                     {"max_share", best}});
  }
  return curve;
}

Json document(const TopologyOptions& options, const Stage& stage) {
  const Graph& graph = stage.graph();
  const StageExposure exposed = expose(stage, options.rounds);
  std::size_t rounds = options.rounds;
  for (const Exposure& exposure : exposed.exposures) rounds = std::max(rounds, exposure.rounds);
  const WeightCheck check = check_weights(stage.matrix);
  const auto longest = diameter(graph);
  const auto mixing = mixing_time(stage.matrix);
  return {{"graph", options.graph},
          {"weights", options.weights},
          {"nodes", graph.node_count()},
          {"edges", graph.edge_count()},
          {"connected", is_connected(graph)},
          {"diameter", longest ? Json(*longest) : Json(nullptr)},
          {"max_degree", graph.max_degree()},
          {"spectral_gap", spectral_gap(stage.matrix)},
          {"mixing_time", mixing ? Json(*mixing) : Json(nullptr)},
          {"weights_check",
           {{"non_negative", check.non_negative},
            {"symmetric", check.symmetric},
            {"row_stochastic", check.row_stochastic},
            {"doubly_stochastic", check.doubly_stochastic},
            {"mixes", check.mixes}}},
          {"rounds", rounds},
          {"exposure_by_round", share_by_round(exposed, graph.node_count())},
          {"exposure", with_ids(exposure_json(stage, exposed, kDoubleRoundoff))}};
}

void topology(const TopologyOptions& options) {
  if (options.all_attackers && !options.attackers.empty()) {
    fail(Fault::kUsage, "--attackers and --all-attackers exclude each other; give one of them");
  }
  set_thread_count(options.common.threads);
  Stage stage = build_network(options);
  choose_attackers(options, stage);
  const Json found = document(options, stage);
  if (options.common.json)
    print_json(found);
  else
    fmt::print("{}", topology_text(found, terminal_style()));
}

}  // namespace

void add_topology_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "topology", "Facts of a network and who could reconstruct whom, before any data exists");
  auto options = std::make_shared<TopologyOptions>();
  add_network_options(*command, "GRAPH", *options);
  command->add_flag("--all-attackers", options->all_attackers, "every node in turn, alone");
  add_common_options(*command, options->common);
  command->callback([options] { topology(*options); });
}

}  // namespace earshot::cli
