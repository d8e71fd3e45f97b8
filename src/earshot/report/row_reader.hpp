// Rows of a results document read by column name, and means over them.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "earshot/report/results.hpp"

namespace earshot {

/// A mean that knows when it has seen nothing.
class Mean {
 public:
  void add(double value) {
    sum_ += value;
    ++count_;
  }
  void add(const std::optional<double>& value) {
    if (value) add(*value);
  }
  std::optional<double> value() const {
    return count_ == 0 ? std::nullopt : std::optional(sum_ / static_cast<double>(count_));
  }

 private:
  double sum_ = 0.0;
  std::size_t count_ = 0;
};

/// Reads one table row by column name; what is absent, null, not a number or not finite is nullopt.
class Row {
 public:
  Row(const TableFacts& table, const std::vector<Json>& values) : table_(table), values_(values) {}
  std::optional<double> number(const std::string& column) const {
    const Json* value = find(column);
    if (value == nullptr) return std::nullopt;
    if (value->is_boolean()) return value->get<bool>() ? 1.0 : 0.0;
    if (!value->is_number() || !std::isfinite(value->get<double>())) return std::nullopt;
    return value->get<double>();
  }
  std::string word(const std::string& column) const {
    const Json* value = find(column);
    return value == nullptr ? std::string() : plain_text(*value);
  }

 private:
  const Json* find(const std::string& column) const {
    const auto index = table_.column(column);
    return index ? &values_[*index] : nullptr;
  }
  const TableFacts& table_;
  const std::vector<Json>& values_;
};

template <class Visit>
void each_row(const CellResults& cell, const std::string& name, Visit visit) {
  const auto table = cell.tables.find(name);
  if (table == cell.tables.end()) return;
  for (const std::vector<Json>& values : table->second.rows) visit(Row(table->second, values));
}

}  // namespace earshot
