#include "earshot/data/tables/tabular_dataset.hpp"

#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {

TabularDataset with_target(std::string name, CodedTable table, const std::string& target) {
  TabularDataset dataset;
  dataset.name = std::move(name);
  dataset.dropped_rows = table.dropped_rows;
  if (!target.empty()) {
    dataset.target_name = target;
    dataset.classes = table.categories[table.table.column(target)];
    dataset.target = take_column(table, target);
  }
  dataset.features = std::move(table.table);
  dataset.categories = std::move(table.categories);
  return dataset;
}

std::vector<std::size_t> class_counts(const TabularDataset& dataset) {
  if (dataset.classes.empty())
    fail(Fault::kConfig, fmt::format("table {}: its target is no class", dataset.name));
  std::vector<std::size_t> counts(dataset.classes.size());
  for (const double label : dataset.target) ++counts[static_cast<std::size_t>(label)];
  return counts;
}

}  // namespace earshot
