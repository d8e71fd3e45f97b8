#include "earshot/pipeline/training_sections.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "earshot/attack/leak/recipes.hpp"
#include "earshot/core/error.hpp"
#include "earshot/data/partition/partition.hpp"
#include "earshot/data/partition/record_labels.hpp"
#include "earshot/network/faults.hpp"
#include "earshot/pipeline/chosen_model.hpp"
#include "earshot/pipeline/components.hpp"
#include "earshot/pipeline/training_listeners.hpp"
#include "earshot/training/protection_components.hpp"

namespace earshot {
namespace {

constexpr double kLargestShare = 0.99;

const Schema& split_schema() {
  static const Schema schema{
      "data",
      "split",
      "",
      "",
      {real_parameter("test_share", 0.2, 0, kLargestShare, "held out where no test part was published"),
       real_parameter("validation_share", 0, 0, kLargestShare,
                      "share of the training part kept for stopping early"),
       integer_parameter("limit", 0, 0, 1'000'000'000,
                         "train on so many examples only, drawn at random; 0: all"),
       boolean_parameter("normalise", true,
                         "pictures by their mean and deviation; false: pixels from 0 to 1"),
       boolean_parameter("flip", false, "mirror pictures at random while training")}};
  return schema;
}

const Schema& run_schema() {
  static const Schema schema{
      "protocol",
      "run",
      "",
      "",
      {integer_parameter("evaluate_every", 1, 1, 1'000'000'000,
                         "rounds from one row of the table \"rounds\" to the next"),
       integer_parameter("patience", 0, 0, 1'000'000'000,
                         "stop after so many rows without a better validation loss, and go back to the "
                         "best; 0: never"),
       real_parameter("least_gain", 0, 0, 1e9, "a row is better if its validation loss is lower by more"),
       choice_parameter("precision", "float64", {"float64", "float32"}, "of gradients; float32 is faster"),
       choice_parameter("message_precision", "float64", {"float64", "float32"}, "what the wire carries")}};
  return schema;
}

const Schema& nodes_schema() {
  static const Schema schema{
      "partition",
      "nodes",
      "",
      "",
      {optional(integer_parameter("nodes", {}, 1, 10'000'000,
                                  "nodes to divide the records over, where no graph says how many")),
       optional(text_parameter("column", {}, "column of a table whose values say who holds a record"))}};
  return schema;
}

Schema csv_schema() {
  return {"data",
          "csv",
          "a table of one's own; `earshot data describe FILE --schema FILE.toml` writes its schema",
          "",
          {text_parameter("path", {}, "CSV file"), text_parameter("schema", {}, "TOML file")}};
}

Schema* find(std::vector<Schema>& schemas, const std::string& role, const std::string& name) {
  const auto found = std::ranges::find_if(
      schemas, [&](const Schema& schema) { return schema.role == role && schema.name == name; });
  return found == schemas.end() ? nullptr : &*found;
}

const Parameter* find(const Schema& schema, std::string_view key) {
  const auto found = std::ranges::find(schema.parameters, key, &Parameter::key);
  return found == schema.parameters.end() ? nullptr : &*found;
}

/// The parameters `schema` does not have yet, each allowed to stay absent.
void add_optional(Schema& schema, const std::vector<Parameter>& more) {
  for (Parameter parameter : more) {
    if (find(schema, parameter.key) != nullptr) continue;
    if (parameter.fallback) parameter.help += fmt::format(" (default {})", parameter.fallback->dump());
    parameter.fallback.reset();
    schema.parameters.push_back(optional(std::move(parameter)));
  }
}

void join(std::vector<Schema>& schemas, const Schema& schema) {
  if (Schema* known = find(schemas, schema.role, schema.name))
    add_optional(*known, schema.parameters);
  else
    schemas.push_back(schema);
}

/// Those settings that are not what they would be anyway: the loader refuses what it does not know.
Json chosen_settings(const Choice& data) {
  static const Catalogue catalogue = standard_catalogue();
  const Schema& schema = *catalogue.find("data", data.kind);
  Json chosen = Json::object();
  for (const auto& [key, value] : data.settings.values().items()) {
    const Parameter* parameter = find(schema, key);
    if (find(split_schema(), key) != nullptr || parameter->fallback == value) continue;
    chosen[key] = value;
  }
  return chosen;
}

DataChoice data_choice(const Choice& data, std::uint64_t seed, const GraphSources& sources) {
  const Settings split = settings_for(split_schema(), data);
  DataChoice choice;
  choice.name = data.kind;
  choice.settings = chosen_settings(data);
  choice.test_share = split.real("test_share");
  choice.limit = split.size("limit");
  choice.normalise = split.boolean("normalise");
  choice.flip = split.boolean("flip");
  choice.seed = seed;
  if (data.kind == "csv") {
    choice.name = sources.working_directory / data.settings.text("path");
    choice.schema = sources.working_directory / data.settings.text("schema");
    choice.settings.erase("path");
    choice.settings.erase("schema");
  }
  return choice;
}

/// The class of every training example; empty for numbers.
std::vector<int> labels_of(const TrainingData& data) {
  const Targets& targets = data.examples->targets();
  std::vector<int> labels;
  if (targets.classes == 0) return labels;
  for (const std::size_t i : data.parts.train) labels.push_back(static_cast<int>(targets.values[i]));
  return labels;
}

std::vector<std::size_t> groups_of(const Choice& data, const std::string& column, const TrainingData& loaded,
                                   const GraphSources& sources) {
  const RecordLabels records =
      record_labels(data.kind, chosen_settings(data), sources.data_directory, column);
  std::vector<std::size_t> groups;
  if (records.groups.empty()) return groups;
  for (const std::size_t i : loaded.parts.train) {
    if (i >= records.groups.size())
      fail(Fault::kConfig, fmt::format("it is not known whom every training record of {} belongs to; choose "
                                       "another partition than groups",
                                       data.kind));
    groups.push_back(records.groups[i]);
  }
  return groups;
}

}  // namespace

void add_training_schemas(std::vector<Schema>& schemas) {
  std::vector<Schema> datasets = training_data_schemas();
  datasets.push_back(csv_schema());
  for (const Schema& dataset : datasets) {
    join(schemas, dataset);
    add_optional(*find(schemas, "data", dataset.name), split_schema().parameters);
  }
  const std::string any_table = "adult";
  add_optional(*find(schemas, "data", "csv"), find(datasets, "data", any_table)->parameters);
  for (const ProtocolComponent& component : training_protocols()) {
    join(schemas, component.schema);
    add_optional(*find(schemas, "protocol", component.schema.name), run_schema().parameters);
  }
  for (const ProtectionComponent& component : protection_components()) join(schemas, component.schema);
  for (const PartitionComponent& component : partition_components()) {
    schemas.push_back(component.schema);
    add_optional(schemas.back(), nodes_schema().parameters);
  }
  for (const FaultsComponent& component : faults_components()) schemas.push_back(component.schema);
  for (const AttackRecipe& recipe : attack_recipes()) schemas.push_back(recipe.schema);
  schemas.push_back(network_file_schema());
  add_optional(schemas.back(), network_script_schema().parameters);
  for (Schema& schema : schemas) {
    if (schema.role == "model") add_optional(schema, network_schema().parameters);
    if (schema.role == "adversary") add_optional(schema, listening_schema().parameters);
  }
}

std::vector<std::string> training_only_keys(const Choice& choice, const std::string& role) {
  static const Catalogue other = catalogue_without_training();
  const Schema* schema = other.find(role, choice.kind);
  std::vector<std::string> keys;
  for (const auto& [key, value] : choice.settings.values().items()) {
    if (schema == nullptr || find(*schema, key) == nullptr) keys.push_back(key);
  }
  return keys;
}

bool trains(const Cell& cell) {
  const Choice* protocol = cell.find("protocol");
  const Choice* attack = cell.find("attack");
  return protocol != nullptr && find_training_protocol(protocol->kind) != nullptr &&
         (attack == nullptr || find_attack_recipe(attack->kind) != nullptr);
}

const ProtocolComponent& training_protocol(const Cell& cell) {
  const ProtocolComponent* component = find_training_protocol(cell.at("protocol").kind);
  if (component == nullptr) fail(Fault::kInternal, "this protocol does not train");
  return *component;
}

Settings protocol_settings(const Cell& cell) {
  return settings_for(training_protocol(cell).schema, cell.at("protocol"));
}

Settings settings_for(const Schema& schema, const Choice& choice) {
  Json given = Json::object();
  for (const Parameter& parameter : schema.parameters) {
    if (choice.settings.has(parameter.key)) given[parameter.key] = choice.settings.values().at(parameter.key);
  }
  return valid_settings(schema, given, schema.role + ".");
}

TrainingData load_training_section(const Choice& data, std::uint64_t seed, const GraphSources& sources) {
  TrainingData loaded = load_training_data(data_choice(data, seed, sources), sources.data_directory);
  hold_out_validation(loaded.parts, settings_for(split_schema(), data).real("validation_share"), seed);
  return loaded;
}

std::vector<std::vector<std::size_t>> shards_of(const Cell& cell, const TrainingData& data, std::size_t nodes,
                                                const TrialAddress& address, const GraphSources& sources) {
  const Choice* choice = cell.find("partition");
  const std::vector<std::size_t>& train = data.parts.train;
  if (choice == nullptr) return {train};
  const PartitionComponent& component = find_partition(choice->kind);
  const std::vector<int> labels = labels_of(data);
  std::vector<std::size_t> groups;
  if (component.needs_groups) {
    const std::string column = choice->settings.has("column") ? choice->settings.text("column") : "";
    groups = groups_of(cell.at("data"), column, data, sources);
  }
  const std::uint64_t seed = Stream(address.stream(Purpose::kPartition)).bits();
  Partition partition = divide_records(component, settings_for(component.schema, *choice),
                                       {train.size(), nodes, labels, groups}, seed);
  for (auto& node : partition.nodes) {
    for (std::size_t& record : node) record = train[record];
  }
  return std::move(partition.nodes);
}

FaultOptions fault_options(const Cell& cell) {
  const Choice* choice = cell.find("faults");
  if (choice == nullptr) return {};
  const auto all = faults_components();
  const auto found = std::ranges::find_if(all, [&](const auto& c) { return c.schema.name == choice->kind; });
  return found->make(choice->settings);
}

RunOptions run_options(const Cell& cell) {
  const Settings settings = settings_for(run_schema(), cell.at("protocol"));
  return {cell.at("protocol").settings.size("rounds"), settings.size("evaluate_every"),
          settings.size("patience"), settings.real("least_gain")};
}

Precision training_precision(const Cell& cell) {
  const Settings settings = settings_for(run_schema(), cell.at("protocol"));
  return settings.text("precision") == "float32" ? Precision::kSingle : Precision::kDouble;
}

WirePrecision wire_precision(const Cell& cell) {
  const Settings settings = settings_for(run_schema(), cell.at("protocol"));
  return settings.text("message_precision") == "float32" ? WirePrecision::kSingle : WirePrecision::kDouble;
}

}  // namespace earshot
