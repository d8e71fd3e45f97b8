// Rows of one table pooled over cells and trials, each with the settings of its cell beside its columns.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "earshot/core/json.hpp"
#include "earshot/experiment/measure.hpp"
#include "earshot/experiment/plan.hpp"

namespace earshot {

/// Refers to the cells and tables added; they must outlive it.
class Rows {
 public:
  /// `table` is {"columns": [...], "rows": [[...], ...]}, every row as long as the columns.
  void add(const Cell& cell, const Json& table);

  std::size_t size() const { return rows_.size(); }
  /// A field is a column of some table added or else a setting such as `graph.nodes`.
  bool has(std::string_view field) const;
  /// Columns of all tables added, each once.
  std::vector<std::string> columns() const;
  /// The field's value in every row, null where missing. A column hides a setting of the same name.
  std::vector<Json> values(std::string_view field) const;
  /// Rows whose fields equal all of `conditions` (an object).
  Rows where(const Json& conditions) const;

 private:
  struct Block {
    const Cell* cell;
    std::vector<std::string> columns;
  };
  struct Row {
    std::size_t block;
    const Json* cells;
  };
  std::vector<Block> blocks_;
  std::vector<Row> rows_;
};

/// Numbers as they are, true and false as 1 and 0, anything else (also non-finite numbers) as missing.
std::optional<double> as_number(const Json& value);

/// Nothing when the rows do not determine it: no row, or (for ranks) fewer than two distinct values.
std::optional<double> evaluate(const Measure& measure, const Rows& rows);

}  // namespace earshot
