#include "graph_argument.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "console.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/text.hpp"
#include "earshot/experiment/override.hpp"
#include "earshot/experiment/plan.hpp"
#include "earshot/pipeline/components.hpp"

namespace earshot::cli {

std::string component_or_file(const std::string& role, const std::string& given) {
  std::string name = given;
  std::replace(name.begin(), name.end(), '-', '_');
  const Catalogue catalogue = standard_catalogue();
  if (name != "file" && catalogue.find(role, name) != nullptr) return name;
  std::error_code code;
  if (std::filesystem::exists(given, code)) return "file";
  const auto names = catalogue.names(role);
  fail(Fault::kUsage,
       fmt::format("\"{}\" is neither a {} nor a file; {}", given, role, suggest(name, names)));
}

std::string toml_text(const std::string& text) {
  return Json(text).dump(-1, ' ', /*ensure_ascii=*/false);
}

std::string toml_real(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string graph_section(const std::string& name_or_file, const std::vector<std::string>& parameters) {
  const std::string kind = component_or_file("graph", name_or_file);
  std::string section = fmt::format("kind = {}\n", toml_text(kind));
  if (kind == "file") section += fmt::format("path = {}\n", toml_text(name_or_file));
  for (const std::string& parameter : parameters) {
    const Override setting = parse_override(parameter);
    section += fmt::format("{} = {}\n", setting.key, setting.value.dump());
  }
  return section;
}

std::string weights_section(const std::string& name_or_file) {
  const std::string kind = component_or_file("weights", name_or_file);
  std::string section = fmt::format("kind = {}\n", toml_text(kind));
  if (kind == "file") section += fmt::format("path = {}\n", toml_text(name_or_file));
  return section;
}

void add_network_options(CLI::App& command, const std::string& graph_option, NetworkArguments& network) {
  command.add_option(graph_option, network.graph, "topology by name, or an edge list file")
      ->required()
      ->type_name("NAME|FILE");
  command.add_option("--param", network.parameters, "parameter of the topology: --param nodes=30")
      ->type_name("KEY=VALUE");
  command.add_option("--weights", network.weights, "metropolis, max-degree, ... or a weights file")
      ->type_name("NAME|FILE");
  command.add_option("--attackers", network.attackers, "colluding nodes, by id")
      ->delimiter(',')
      ->type_name("ID,ID");
  command.add_option("--rounds", network.rounds, "gossip rounds (0: until nothing new can be learnt)")
      ->check(CLI::Range(0, 1000000));
  command.add_option("--seed", network.seed, "seed of a random topology");
}

Stage build_network(const NetworkArguments& network) {
  const std::string text = fmt::format(
      "name = \"network\"\ntitle = \"network\"\n[graph]\n{}[weights]\n{}[adversary]\nkind = \"each\"\n",
      graph_section(network.graph, network.parameters), weights_section(network.weights));
  const Plan plan = parse_plan(text, "command line", standard_catalogue());
  return build_stage(plan.cells.at(0), {network.seed, 0}, sources_from({}));
}

}  // namespace earshot::cli
