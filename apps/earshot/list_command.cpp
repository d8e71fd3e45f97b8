#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "commands.hpp"
#include "console.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/text.hpp"
#include "earshot/pipeline/components.hpp"

namespace earshot::cli {
namespace {

struct ListOptions {
  std::string role;
  std::string name;
  bool json = false;
};

std::vector<const Schema*> chosen(const Catalogue& catalogue, const ListOptions& options) {
  const auto roles = component_roles();
  if (!options.role.empty() && std::find(roles.begin(), roles.end(), options.role) == roles.end()) {
    fail(Fault::kUsage,
         fmt::format("there is no kind of component called \"{}\"; {}", options.role,
                     suggest(options.role, std::vector<std::string>(roles.begin(), roles.end()))));
  }
  if (!options.name.empty() && catalogue.find(options.role, options.name) == nullptr) {
    fail(Fault::kUsage, fmt::format("there is no {} called \"{}\"; {}", options.role, options.name,
                                    suggest(options.name, catalogue.names(options.role))));
  }
  std::vector<const Schema*> found;
  for (const Schema* schema : catalogue.all()) {
    const bool fits = (options.role.empty() || schema->role == options.role) &&
                      (options.name.empty() || schema->name == options.name);
    if (fits) found.push_back(schema);
  }
  return found;
}

void print_parameter(const Parameter& p) {
  const std::string fallback = p.fallback   ? "default " + p.fallback->dump()
                               : p.optional ? "optional"
                                            : "required";
  fmt::print("      {} ({}; {}): {}\n", p.key, type_description(p), fallback, p.help);
}

void print_component(const Schema& schema, bool with_parameters) {
  fmt::print("  {:<24} {}\n", schema.name, schema.summary);
  if (!with_parameters) return;
  for (const Parameter& p : schema.parameters) print_parameter(p);
  if (!schema.reference.empty()) fmt::print("      reference: {}\n", schema.reference);
}

void list(const ListOptions& options) {
  const Catalogue catalogue = standard_catalogue();
  const auto components = chosen(catalogue, options);
  if (options.json) {
    Json all = Json::array();
    for (const Schema* schema : components) all.push_back(describe(*schema));
    print_json(all);
    return;
  }
  std::string role;
  for (const Schema* schema : components) {
    if (schema->role != role) fmt::print("{}\n", role = schema->role);
    print_component(*schema, !options.role.empty());
  }
  if (options.role.empty()) fmt::print("\n`earshot list ROLE` shows parameters, defaults and references.\n");
}

}  // namespace

void add_list_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("list", "Every graph, dataset, model, protocol, mechanism, attack and metric");
  auto options = std::make_shared<ListOptions>();
  command->add_option(
      "ROLE", options->role,
      "graph, weights, data, partition, model, protocol, mechanism, faults, adversary, attack, metric");
  command->add_option("NAME", options->name, "one component of that role");
  command->add_flag("--json", options->json, "print one JSON document on stdout");
  command->callback([options] { list(*options); });
}

}  // namespace earshot::cli
