#include "data_describe.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "console.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/files.hpp"
#include "earshot/core/text.hpp"
#include "earshot/data/catalogue/catalogue.hpp"
#include "earshot/data/formats/plain_text.hpp"
#include "earshot/data/graphs/graph_datasets.hpp"
#include "earshot/data/images/image_datasets.hpp"
#include "earshot/data/partition/record_labels.hpp"
#include "earshot/data/tables/schema_file.hpp"
#include "earshot/data/tables/schema_inference.hpp"
#include "earshot/data/tables/table_summary.hpp"
#include "earshot/data/tables/tabular_datasets.hpp"

namespace earshot::cli {
namespace {

// Of a long list of categories the commonest are shown; --json has them all.
constexpr std::size_t kMostShown = 5;

struct DescribeOptions {
  std::string name;
  std::string schema;
  bool json = false;
};

std::string shares_text(Json counts) {
  std::stable_sort(counts.begin(), counts.end(),
                   [](const Json& a, const Json& b) { return a["rows"] > b["rows"]; });
  std::string text;
  for (std::size_t i = 0; i < std::min(counts.size(), kMostShown); ++i)
    text += fmt::format("{}{} {:.1f} %", i == 0 ? "" : ", ", counts[i]["name"].get<std::string>(),
                        100 * counts[i]["share"].get<double>());
  if (counts.size() > kMostShown) text += fmt::format(", {} more", counts.size() - kMostShown);
  return text;
}

std::string column_text(const Json& column) {
  const std::string kind = column["kind"];
  if (kind == "category") {
    const Json& counts = column.contains("classes") ? column["classes"] : column["categories"];
    return fmt::format("{} {}: {}", counts.size(), column.contains("classes") ? "classes" : "categories",
                       shares_text(counts));
  }
  return fmt::format("{} from {} to {}, mean {:.6g}, deviation {:.6g}", kind, column["lowest"].get<double>(),
                     column["highest"].get<double>(), column["mean"].get<double>(),
                     column["deviation"].get<double>());
}

void print_table(const Json& table) {
  fmt::print("\ntable {}: {} rows", table["name"].get<std::string>(), table["rows"].get<std::size_t>());
  if (table.contains("train_rows"))
    fmt::print(" ({} for training, {} for testing)", table["train_rows"].get<std::size_t>(),
               table["test_rows"].get<std::size_t>());
  if (table["dropped_rows"] != 0)
    fmt::print(", {} dropped for a missing value", table["dropped_rows"].get<std::size_t>());
  if (table.contains("clients"))
    fmt::print(", held by {} clients ({})", table["clients"]["count"].get<std::size_t>(),
               table["clients"]["column"].get<std::string>());
  fmt::print("\n");
  for (const Json& column : table["columns"])
    fmt::print("  {:<32} {}\n", column["name"].get<std::string>(), column_text(column));
  if (table.contains("target"))
    fmt::print("  {:<32} {}  <- target\n", table["target"]["name"].get<std::string>(),
               column_text(table["target"]));
}

/// Image sets, networks and sets of networks by the names experiments use.
std::set<std::string> component_names() {
  std::set<std::string> names;
  for (const DatasetComponent& component : dataset_components()) names.insert(component.schema.name);
  for (const NodeDatasetComponent& component : node_dataset_components()) names.insert(component.schema.name);
  for (const GraphsDatasetComponent& component : graphs_dataset_components())
    names.insert(component.schema.name);
  return names;
}

/// The components that read an entry of the catalogue: those of its name with underscores, and the few
/// others.
std::vector<std::string> components_of(const std::string& entry) {
  static const std::map<std::string, std::vector<std::string>> others{
      {"qmnist-writers", {"mnist_writers"}},
      {"webkb-cornell", {"cornell", "cornell_geom_gcn"}},
      {"tudataset-PROTEINS", {"proteins"}},
      {"tudataset-MUTAG", {"mutag"}},
      {"molecules", {"bbbp", "tox21", "clintox"}}};
  if (const auto found = others.find(entry); found != others.end()) return found->second;
  std::string name = entry;
  std::ranges::replace(name, '-', '_');
  return component_names().contains(name) ? std::vector{name} : std::vector<std::string>{};
}

Json describe_component(const std::string& name) {
  const RecordLabels records = record_labels(name, Json::object(), data_directory());
  std::vector<std::size_t> counts(records.classes.size());
  for (const int label : records.labels) {
    if (label >= 0) ++counts[static_cast<std::size_t>(label)];
  }
  Json classes = Json::array();
  for (std::size_t i = 0; i < counts.size(); ++i)
    classes.push_back({{"name", records.classes[i]},
                       {"rows", counts[i]},
                       {"share", static_cast<double>(counts[i]) / static_cast<double>(records.records)}});
  const std::set<std::size_t> clients(records.groups.begin(), records.groups.end());
  return {{"name", name},
          {"records", records.records},
          {"classes", classes},
          {"clients", clients.size()},
          {"notes", records.notes}};
}

void print_component(const Json& component) {
  fmt::print("\n{}: {} records", component["name"].get<std::string>(),
             component["records"].get<std::size_t>());
  if (component["clients"] != 0) fmt::print(" of {} clients", component["clients"].get<std::size_t>());
  fmt::print("\n");
  if (!component["classes"].empty())
    fmt::print("  {} classes: {}\n", component["classes"].size(), shares_text(component["classes"]));
  for (const Json& text : component["notes"]) fmt::print("  note: {}\n", text.get<std::string>());
}

Json entry_json(const DatasetEntry& entry) {
  Json files = Json::array();
  for (const DatasetFile& file : entry.files) {
    files.push_back({{"path", file.path}});
    if (file.sha256.empty()) continue;
    files.back().update({{"bytes", file.bytes}, {"sha256", file.sha256}});
  }
  return {{"name", entry.name},
          {"summary", entry.summary},
          {"licence", entry.licence},
          {"citation", entry.citation},
          {"how_to_get", entry.how_to_get},
          {"files", files},
          {"present", is_present(entry, data_directory())}};
}

void print_entry(const DatasetEntry& entry) {
  fmt::print("{}: {}\n  licence: {}\n  cite: {}\n", entry.name, entry.summary, entry.licence, entry.citation);
  for (const DatasetFile& file : entry.files)
    fmt::print("  {}, {}\n", file.path,
               file.sha256.empty() ? "a copy of your own" : fmt::format("{} bytes", file.bytes));
  if (!is_present(entry, data_directory()))
    fmt::print("  not in {}; to get it: {}\n", data_directory().string(), entry.how_to_get);
}

void describe_entry(const DatasetEntry& entry, const DescribeOptions& options) {
  Json document = entry_json(entry);
  document["tables"] = Json::array();
  document["components"] = Json::array();
  if (document["present"] == true) {
    for (const TabularLoader& loader : tabular_loaders()) {
      if (loader.dataset == entry.name)
        document["tables"].push_back(summarise(loader.load(data_directory())));
    }
    for (const std::string& name : components_of(std::string(entry.name)))
      document["components"].push_back(describe_component(name));
  }
  if (options.json) return print_json(document);
  print_entry(entry);
  for (const Json& table : document["tables"]) print_table(table);
  for (const Json& component : document["components"]) print_component(component);
}

void describe_loader(const TabularLoader& loader, const DescribeOptions& options) {
  const DatasetEntry& entry = find_dataset(loader.dataset);
  Json document = entry_json(entry);
  document["tables"] = Json::array({summarise(loader.load(data_directory()))});
  if (options.json) return print_json(document);
  print_entry(entry);
  print_table(document["tables"][0]);
}

/// The schema a file is read under: the user's, if there is one, else one that was inferred.
struct ChosenSchema {
  TableSchema schema;
  std::vector<std::string> reasons;  // empty: the user's
};

ChosenSchema choose_schema(const std::string& text, const DescribeOptions& options) {
  if (!options.schema.empty() && std::filesystem::exists(options.schema))
    return {parse_table_schema(read_text(options.schema), options.schema), {}};
  InferredSchema inferred = infer_schema(text, options.name);
  return {{std::move(inferred.format), ""}, std::move(inferred.reasons)};
}

void print_inference(const ChosenSchema& chosen) {
  fmt::print("inferred; check it, it is only a guess:\n");
  const auto& columns = chosen.schema.format.columns;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string missing =
        columns[i].missing_text ? fmt::format(" (marked {})", in_quotes(*columns[i].missing_text)) : "";
    fmt::print("  {:<32} {:<10} {}{}\n", columns[i].name, to_string(columns[i].kind), chosen.reasons[i],
               missing);
  }
}

void describe_file(const DescribeOptions& options) {
  const std::string text = read_text(options.name);
  const ChosenSchema chosen = choose_schema(text, options);
  const Json table =
      summarise(with_target(std::filesystem::path(options.name).filename().string(),
                            read_csv(text, options.name, chosen.schema.format), chosen.schema.target));
  const bool inferred = !chosen.reasons.empty();
  const std::string toml = to_toml(chosen.schema, chosen.reasons);
  if (inferred && !options.schema.empty()) write_atomically(options.schema, toml);
  if (options.json)
    return print_json({{"file", options.name}, {"inferred", inferred}, {"schema", toml}, {"table", table}});
  if (inferred) print_inference(chosen);
  print_table(table);
  if (inferred && !options.schema.empty())
    fmt::print("\nwrote {}: edit it, then run this command again to check the file under it\n",
               options.schema);
}

void describe(const DescribeOptions& options) {
  if (!options.schema.empty() && !std::filesystem::is_regular_file(options.name))
    fail(Fault::kUsage, fmt::format("--schema is for a CSV file, and there is no file \"{}\"", options.name));
  for (const DatasetEntry& entry : catalogue()) {
    if (entry.name == options.name) return describe_entry(entry, options);
  }
  for (const TabularLoader& loader : tabular_loaders()) {
    if (loader.name == options.name) return describe_loader(loader, options);
  }
  if (std::filesystem::is_regular_file(options.name)) return describe_file(options);
  std::vector<std::string> names;
  for (const DatasetEntry& entry : catalogue()) names.emplace_back(entry.name);
  fail(Fault::kUsage,
       fmt::format("\"{}\" is neither a file nor a dataset; {}", options.name, suggest(options.name, names)));
}

}  // namespace

void add_describe_command(CLI::App& data) {
  CLI::App* command = data.add_subcommand(
      "describe",
      "What a dataset, or a CSV file of your own, holds: columns, kinds, ranges, classes, licence");
  auto options = std::make_shared<DescribeOptions>();
  command->add_option("NAME", options->name, "a dataset, a table, or a CSV file")->required();
  command->add_option(
      "--schema", options->schema,
      "of a CSV file: the TOML file to read its schema from, or to write the inferred one to");
  command->add_flag("--json", options->json, "print one JSON document on stdout");
  command->callback([options] { describe(*options); });
}

}  // namespace earshot::cli
