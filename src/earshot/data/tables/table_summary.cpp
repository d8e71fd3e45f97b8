#include "earshot/data/tables/table_summary.hpp"

#include <numeric>

#include "earshot/data/tables/standardise.hpp"

namespace earshot {
namespace {

Json number_json(const NumericTable& table, std::size_t column, std::span<const std::size_t> rows) {
  const ColumnStatistics statistics = column_statistics(table, column, rows);
  return {{"kind", statistics.decimals == 0 ? "integer" : "real"},
          {"lowest", statistics.lowest},
          {"highest", statistics.highest},
          {"mean", statistics.mean},
          {"deviation", statistics.deviation}};
}

Json counts_json(const std::vector<std::string>& names, std::span<const std::size_t> counts,
                 std::size_t rows) {
  Json list = Json::array();
  for (std::size_t i = 0; i < names.size(); ++i)
    list.push_back({{"name", names[i]},
                    {"rows", counts[i]},
                    {"share", static_cast<double>(counts[i]) / static_cast<double>(rows)}});
  return list;
}

Json feature_json(const TabularDataset& dataset, std::size_t column, std::span<const std::size_t> rows) {
  const auto& categories = dataset.categories[column];
  Json one{{"name", dataset.features.columns[column]}};
  if (categories.empty()) {
    one.update(number_json(dataset.features, column, rows));
    return one;
  }
  std::vector<std::size_t> counts(categories.size());
  for (const std::size_t row : rows) ++counts[static_cast<std::size_t>(dataset.features.row(row)[column])];
  one["kind"] = "category";
  one["categories"] = counts_json(categories, counts, rows.size());
  return one;
}

Json target_json(const TabularDataset& dataset, std::span<const std::size_t> rows) {
  Json one{{"name", dataset.target_name}};
  if (dataset.classes.empty()) {
    one.update(number_json({{dataset.target_name}, dataset.target.size(), dataset.target}, 0, rows));
  } else {
    one["kind"] = "category";
    one["classes"] = counts_json(dataset.classes, class_counts(dataset), rows.size());
  }
  return one;
}

}  // namespace

Json summarise(const TabularDataset& dataset) {
  std::vector<std::size_t> rows(dataset.features.row_count);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  Json result{{"name", dataset.name},
              {"rows", rows.size()},
              {"dropped_rows", dataset.dropped_rows},
              {"columns", Json::array()}};
  if (dataset.test_begins) {
    result["train_rows"] = *dataset.test_begins;
    result["test_rows"] = rows.size() - *dataset.test_begins;
  }
  if (!dataset.clients.empty())
    result["clients"] = {{"column", dataset.client_name}, {"count", dataset.clients.size()}};
  for (std::size_t column = 0; column < dataset.features.columns.size(); ++column)
    result["columns"].push_back(feature_json(dataset, column, rows));
  if (!dataset.target_name.empty()) result["target"] = target_json(dataset, rows);
  return result;
}

}  // namespace earshot
