#include <filesystem>

#include "earshot/core/files.hpp"
#include "earshot/graph/gossip_matrix.hpp"

namespace earshot {
namespace {

constexpr const char* kXiaoBoyd =
    "Xiao & Boyd 2004, Fast linear iterations for distributed averaging, Systems & Control Letters 53";
constexpr const char* kLazy = "Levin, Peres & Wilmer 2009, Markov Chains and Mixing Times, section 1.3";

template <GossipMatrix (*weights)(const Graph&)>
GossipMatrix make_plain(const Graph& graph, const Settings&, const GraphSources&) {
  return weights(graph);
}

template <GossipMatrix (*weights)(const Graph&)>
GossipMatrix make_lazy(const Graph& graph, const Settings&, const GraphSources&) {
  return lazy(weights(graph));
}

GossipMatrix make_from_file(const Graph& graph, const Settings& settings, const GraphSources& sources) {
  const std::filesystem::path path = sources.working_directory / settings.text("path");
  return parse_weights(graph, read_text(path), path.string());
}

std::vector<WeightsComponent> make_components() {
  std::vector<WeightsComponent> all;
  const auto add = [&](std::string name, std::string summary, std::string reference,
                       GossipMatrix (*make)(const Graph&, const Settings&, const GraphSources&),
                       std::vector<Parameter> parameters = {}) {
    all.push_back(
        {{"weights", std::move(name), std::move(summary), std::move(reference), std::move(parameters)},
         make});
  };
  add("metropolis", "W_uv = 1 / (1 + max(deg u, deg v)): needs to know only the neighbours' degrees",
      kXiaoBoyd, make_plain<metropolis_weights>);
  add("max_degree", "W = I - L / d_max; a node of largest degree keeps nothing of its own value", kXiaoBoyd,
      make_plain<max_degree_weights>);
  add("uniform_neighbour",
      "W_uv = 1 / (1 + deg u): row- but not doubly stochastic, consensus is a degree-weighted mean",
      "DeGroot 1974, Reaching a consensus, JASA 69", make_plain<uniform_neighbour_weights>);
  add("lazy_metropolis", "(I + W) / 2 of metropolis: no negative eigenvalue", kLazy,
      make_lazy<metropolis_weights>);
  add("lazy_max_degree", "(I + W) / 2 of max_degree: mixes on bipartite graphs too", kLazy,
      make_lazy<max_degree_weights>);
  add("lazy_uniform_neighbour", "(I + W) / 2 of uniform_neighbour", kLazy,
      make_lazy<uniform_neighbour_weights>);
  add("file", "weights from a file of lines \"u v weight\", kept as the exact fractions written there",
      "docs/graphs.md", make_from_file,
      {text_parameter("path", std::nullopt,
                      "file of lines \"u v weight\" (u v directed, u = v for the diagonal)")});
  return all;
}

}  // namespace

std::span<const WeightsComponent> weights_components() {
  static const std::vector<WeightsComponent> all = make_components();
  return all;
}

}  // namespace earshot
