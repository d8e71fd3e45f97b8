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

using Numbers = std::vector<std::optional<double>>;

/// Of a column or a difference of two, one for every row.
Numbers numbers_of(const Rows& rows, const std::string& term) {
  const std::vector<std::string> columns = columns_of(term);
  Numbers numbers;
  for (const Json& value : rows.values(columns.front())) numbers.push_back(as_number(value));
  if (columns.size() == 1) return numbers;
  const std::vector<Json> others = rows.values(columns.back());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto other = as_number(others[i]);
    numbers[i] = numbers[i] && other ? std::optional(*numbers[i] - *other) : std::nullopt;
  }
  return numbers;
}

std::vector<double> present_numbers(const Rows& rows, const std::string& term) {
  std::vector<double> present;
  for (const auto& number : numbers_of(rows, term))
    if (number) present.push_back(*number);
  return present;
}

/// How many standard errors the mean is above 0; nothing where the values do not differ.
std::optional<double> standard_errors(std::span<const double> values) {
  if (values.size() < 2) return std::nullopt;
  const double error = sample_deviation(values) / std::sqrt(static_cast<double>(values.size()));
  return error > 0 ? std::optional(mean(values) / error) : std::nullopt;
}

std::optional<double> rank_correlation(const Rows& rows, const std::string& first,
                                       const std::string& second) {
  const Numbers a = numbers_of(rows, first), b = numbers_of(rows, second);
  std::vector<double> x, y;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!a[i] || !b[i]) continue;
    x.push_back(*a[i]);
    y.push_back(*b[i]);
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
  const Numbers values = numbers_of(rows, field);
  const auto keys = rows.values(key);
  std::map<Json, std::vector<double>> groups;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] && !keys[i].is_null()) groups[keys[i]].push_back(*values[i]);
  std::vector<double> means;
  for (const auto& [group, members] : groups) means.push_back(mean(members));
  return means;
}

}  // namespace

std::optional<double> evaluate(const Measure& measure, const Rows& rows) {
  if (measure.kind == MeasureKind::kCount) return static_cast<double>(rows.size());
  if (measure.kind == MeasureKind::kSpearman)
    return rank_correlation(rows, measure.terms[0], measure.terms[1]);
  if (measure.kind == MeasureKind::kShareMeanAbove)
    return share_above(group_means(rows, measure.terms[0], measure.terms[1]), measure.threshold);
  const std::vector<double> values = present_numbers(rows, measure.terms[0]);
  if (values.empty()) return std::nullopt;
  switch (measure.kind) {
    case MeasureKind::kMean:
      return mean(values);
    case MeasureKind::kStd:
      return sample_deviation(values);
    case MeasureKind::kMedian:
      return quantile(values, 0.5);
    case MeasureKind::kZ:
      return standard_errors(values);
    case MeasureKind::kMin:
      return *std::ranges::min_element(values);
    case MeasureKind::kMax:
      return *std::ranges::max_element(values);
    default:
      return share_above(values, measure.threshold);
  }
}

}  // namespace earshot
