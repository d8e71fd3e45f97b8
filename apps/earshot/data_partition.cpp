#include "data_partition.hpp"

#include <memory>

#include <fmt/format.h>

#include "console.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/files.hpp"
#include "earshot/data/catalogue/catalogue.hpp"
#include "earshot/data/partition/partition.hpp"
#include "earshot/data/partition/partition_summary.hpp"
#include "earshot/data/partition/record_labels.hpp"
#include "earshot/experiment/override.hpp"

namespace earshot::cli {
namespace {

constexpr std::size_t kBarWidth = 48;
constexpr std::size_t kMostBars = 40;

struct PartitionOptions {
  std::string name;
  std::string kind = "iid";
  std::size_t nodes = 10;
  std::uint64_t seed = 1;
  std::vector<std::string> parameters;
  std::vector<std::string> dataset_parameters;
  std::string column;
  std::string svg;
  bool json = false;
};

Json object_of(const std::vector<std::string>& assignments) {
  Json object = Json::object();
  for (const std::string& text : assignments) {
    const Override setting = parse_override(text);
    object[setting.key] = setting.value;
  }
  return object;
}

Json document_of(const PartitionOptions& options, const Settings& settings, const RecordLabels& records,
                 const PartitionSummary& summary) {
  return {{"dataset", options.name}, {"kind", options.kind},   {"parameters", settings.values()},
          {"seed", options.seed},    {"notes", records.notes}, {"partition", to_json(summary)}};
}

void print_summary(const PartitionOptions& options, const RecordLabels& records,
                   const PartitionSummary& summary) {
  fmt::print("{}: {} records, partition {} over {} nodes, {} unused, seed {}\n", options.name,
             summary.records, options.kind, summary.nodes.size(), summary.unused, options.seed);
  for (const std::string& text : records.notes) fmt::print("note: {}\n", text);
  fmt::print("\n{}", terminal_picture(summary, kBarWidth, kMostBars));
}

void show_partition(const PartitionOptions& options) {
  const PartitionComponent& component = find_partition(options.kind);
  const Settings settings = valid_settings(component.schema, object_of(options.parameters), "--param ");
  const RecordLabels records =
      record_labels(options.name, object_of(options.dataset_parameters), data_directory(), options.column);
  const Partition partition = divide_records(
      component, settings, {records.records, options.nodes, records.labels, records.groups}, options.seed);
  const PartitionSummary summary = summarise(partition, records.labels, records.classes);
  if (!options.svg.empty())
    write_atomically(options.svg,
                     svg_picture(summary, fmt::format("{}, {} over {} nodes, seed {}", options.name,
                                                      options.kind, options.nodes, options.seed)));
  if (options.json) {
    print_json(document_of(options, settings, records, summary));
  } else {
    print_summary(options, records, summary);
  }
}

}  // namespace

void add_partition_command(CLI::App& data) {
  auto options = std::make_shared<PartitionOptions>();
  CLI::App* command =
      data.add_subcommand("partition", "Divide a dataset over nodes, and show who holds which classes");
  command->add_option("NAME", options->name, "images, table, graph or set of graphs, by name")->required();
  command->add_option("--kind", options->kind, "iid, shards, dirichlet, one_per_node or groups")
      ->capture_default_str();
  command->add_option("--nodes", options->nodes, "how many nodes")->capture_default_str();
  command->add_option("--param", options->parameters, "parameter of the partition: --param alpha=0.1")
      ->type_name("KEY=VALUE");
  command->add_option("--dataset-param", options->dataset_parameters, "parameter of the dataset: part=train")
      ->type_name("KEY=VALUE");
  command->add_option("--column", options->column, "the column of a table whose values are the groups");
  command->add_option("--seed", options->seed, "the same seed gives the same partition")
      ->capture_default_str();
  command->add_option("--svg", options->svg, "also draw it into this file")->type_name("FILE");
  command->add_flag("--json", options->json, "print one JSON document on stdout");
  command->callback([options] { show_partition(*options); });
}

}  // namespace earshot::cli
