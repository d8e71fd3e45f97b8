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
namespace {

/// The component's name if there is one, "file" if a file of that name exists, else an error with both
/// choices.
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

}  // namespace

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

Stage build_network(const std::string& graph, const std::vector<std::string>& parameters,
                    const std::string& weights, std::uint64_t seed) {
  const std::string text = fmt::format(
      "name = \"network\"\ntitle = \"network\"\n[graph]\n{}[weights]\n{}[adversary]\nkind = \"each\"\n",
      graph_section(graph, parameters), weights_section(weights));
  const Plan plan = parse_plan(text, "command line", standard_catalogue());
  return build_stage(plan.cells.at(0), {seed, 0}, sources_from({}));
}

}  // namespace earshot::cli
