#include "earshot/data/partition/record_labels.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/text.hpp"
#include "earshot/data/graphs/graph_datasets.hpp"
#include "earshot/data/images/image_datasets.hpp"
#include "earshot/data/partition/partition.hpp"
#include "earshot/data/tables/tabular_datasets.hpp"

namespace earshot {
namespace {

std::vector<std::string> notes_of(const std::string& note) {
  return note.empty() ? std::vector<std::string>{} : std::vector{note};
}

RecordLabels labels_of(const ImageDataset& dataset) {
  RecordLabels result{dataset.size(),
                      {dataset.labels.begin(), dataset.labels.end()},
                      {},
                      {dataset.clients.begin(), dataset.clients.end()},
                      dataset.notes};
  for (std::size_t c = 0; c < dataset.classes; ++c) result.classes.push_back(fmt::format("class {}", c));
  return result;
}

RecordLabels labels_of(const NodeDataset& dataset) {
  return {dataset.nodes, dataset.labels, dataset.classes, {}, notes_of(dataset.note)};
}

RecordLabels labels_of(const GraphsDataset& dataset) {
  RecordLabels result{dataset.graphs.size(), {}, dataset.classes, {}, notes_of(dataset.note)};
  for (const LabelledGraph& graph : dataset.graphs) result.labels.push_back(graph.label);
  return result;
}

RecordLabels labels_of(const TabularDataset& dataset, std::string_view column) {
  RecordLabels result{dataset.features.row_count, {}, dataset.classes, dataset.client, {}};
  if (!dataset.classes.empty()) {
    for (const double target : dataset.target) result.labels.push_back(static_cast<int>(target));
  }
  if (!column.empty()) {
    const std::size_t position = dataset.features.column(column);
    std::vector<double> values;
    for (std::size_t i = 0; i < result.records; ++i) values.push_back(dataset.features.row(i)[position]);
    result.groups = groups_of(values);
  }
  return result;
}

/// Loads the component of that name if it is among these.
template <class Components>
bool load_from(const Components& components, std::string_view name, const Json& given,
               const std::filesystem::path& directory, RecordLabels& result,
               std::vector<std::string>& names) {
  for (const auto& component : components) {
    names.push_back(component.schema.name);
    if (component.schema.name != name) continue;
    result = labels_of(
        component.load(valid_settings(component.schema, given, component.schema.name + "."), directory));
    return true;
  }
  return false;
}

}  // namespace

RecordLabels record_labels(std::string_view name, const Json& given, const std::filesystem::path& directory,
                           std::string_view column) {
  std::vector<std::string> names;
  for (const TabularLoader& loader : tabular_loaders()) {
    names.emplace_back(loader.name);
    if (loader.name != name) continue;
    if (!given.empty()) fail(Fault::kUsage, fmt::format("table {} has no parameters", name));
    return labels_of(loader.load(directory), column);
  }
  if (!column.empty())
    fail(Fault::kUsage, fmt::format("\"{}\" is no table, so it has no column to divide by", name));
  RecordLabels result;
  if (load_from(dataset_components(), name, given, directory, result, names) ||
      load_from(node_dataset_components(), name, given, directory, result, names) ||
      load_from(graphs_dataset_components(), name, given, directory, result, names))
    return result;
  fail(Fault::kUsage, fmt::format("no dataset \"{}\"; {}", name, suggest(name, names)));
}

}  // namespace earshot
