#include "earshot/experiment/rows.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "earshot/experiment/document.hpp"
#include "earshot/metric/rank_correlation.hpp"
#include "earshot/metric/statistics.hpp"

namespace earshot {

void Rows::add(const Cell& cell, const Json& table) {
  Block block{&cell, table.at("columns").get<std::vector<std::string>>()};
  const std::size_t index = blocks_.size();
  for (const Json& row : table.at("rows")) rows_.push_back({index, &row});
  blocks_.push_back(std::move(block));
}

std::vector<std::string> Rows::columns() const {
  std::vector<std::string> all;
  for (const Block& block : blocks_) {
    for (const std::string& column : block.columns) {
      if (std::ranges::find(all, column) == all.end()) all.push_back(column);
    }
  }
  return all;
}

bool Rows::has(std::string_view field) const {
  return !role_of(field).empty() || std::ranges::any_of(blocks_, [&](const Block& block) {
    return std::ranges::find(block.columns, field) != block.columns.end();
  });
}

std::vector<Json> Rows::values(std::string_view field) const {
  struct Source {
    std::size_t column;
    Json setting;
  };
  std::vector<Source> sources;
  for (const Block& block : blocks_) {
    const auto found = std::ranges::find(block.columns, field);
    const bool missing = found == block.columns.end();
    sources.push_back({static_cast<std::size_t>(found - block.columns.begin()),
                       missing ? block.cell->setting(field) : Json(nullptr)});
  }
  std::vector<Json> values;
  values.reserve(rows_.size());
  for (const Row& row : rows_) {
    const Source& source = sources[row.block];
    values.push_back(source.column < row.cells->size() ? (*row.cells)[source.column] : source.setting);
  }
  return values;
}

Rows Rows::where(const Json& conditions) const {
  std::vector<bool> keep(rows_.size(), true);
  for (const auto& [field, wanted] : conditions.items()) {
    const std::vector<Json> found = values(field);
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i] != wanted) keep[i] = false;
    }
  }
  Rows chosen;
  chosen.blocks_ = blocks_;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (keep[i]) chosen.rows_.push_back(rows_[i]);
  }
  return chosen;
}

std::optional<double> as_number(const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? 1.0 : 0.0;
  if (!value.is_number() || !std::isfinite(value.get<double>())) return std::nullopt;
  return value.get<double>();
}

namespace {

std::vector<double> present_numbers(const Rows& rows, const std::string& field) {
  std::vector<double> numbers;
  for (const Json& value : rows.values(field)) {
    if (const auto number = as_number(value)) numbers.push_back(*number);
  }
  return numbers;
}

std::optional<double> rank_correlation(const Rows& rows, const std::string& first,
                                       const std::string& second) {
  const auto a = rows.values(first);
  const auto b = rows.values(second);
  std::vector<double> x, y;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto left = as_number(a[i]);
    const auto right = as_number(b[i]);
    if (!left || !right) continue;
    x.push_back(*left);
    y.push_back(*right);
  }
  return spearman(x, y);
}

std::optional<double> share_above(std::span<const double> values, double threshold) {
  if (values.empty()) return std::nullopt;
  const auto above = std::ranges::count_if(values, [&](double value) { return value > threshold; });
  return static_cast<double>(above) / static_cast<double>(values.size());
}

/// One mean per distinct value of the key column, in no particular order.
std::vector<double> group_means(const Rows& rows, const std::string& field, const std::string& key) {
  const auto values = rows.values(field);
  const auto keys = rows.values(key);
  std::map<Json, std::vector<double>> groups;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto number = as_number(values[i]);
    if (number && !keys[i].is_null()) groups[keys[i]].push_back(*number);
  }
  std::vector<double> means;
  for (const auto& [group, members] : groups) means.push_back(mean(members));
  return means;
}

}  // namespace

std::optional<double> evaluate(const Measure& measure, const Rows& rows) {
  if (measure.kind == MeasureKind::kCount) return static_cast<double>(rows.size());
  if (measure.kind == MeasureKind::kSpearman)
    return rank_correlation(rows, measure.columns[0], measure.columns[1]);
  if (measure.kind == MeasureKind::kShareMeanAbove)
    return share_above(group_means(rows, measure.columns[0], measure.columns[1]), measure.threshold);
  const std::vector<double> values = present_numbers(rows, measure.columns[0]);
  if (values.empty()) return std::nullopt;
  switch (measure.kind) {
    case MeasureKind::kMean:
      return mean(values);
    case MeasureKind::kStd:
      return sample_deviation(values);
    case MeasureKind::kMedian:
      return quantile(values, 0.5);
    case MeasureKind::kMin:
      return *std::ranges::min_element(values);
    case MeasureKind::kMax:
      return *std::ranges::max_element(values);
    default:
      return share_above(values, measure.threshold);
  }
}

}  // namespace earshot
