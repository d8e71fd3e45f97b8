// A table of numbers with named columns: what every tabular file becomes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace earshot {

/// Numbers by row and named column, row-major.
struct NumericTable {
  std::vector<std::string> columns;
  std::size_t row_count = 0;
  std::vector<double> values;  // row_count * columns.size()

  std::span<const double> row(std::size_t i) const;
  /// The column's position; fails with the nearest spelling when no column has that name.
  std::size_t column(std::string_view name) const;
};

/// The position of a name among the columns of a table; fails with the nearest spelling when none has it.
std::size_t column_position(std::span<const std::string> columns, std::string_view name);

/// Takes the named column out of the table and returns its values.
std::vector<double> take_column(NumericTable& table, std::string_view name);

/// A table as a file gave it, in the file's order of columns; categories are coded as their index.
struct CodedTable {
  NumericTable table;
  std::vector<std::vector<std::string>>
      categories;                // per column, in the order of the codes; empty for numbers
  std::size_t dropped_rows = 0;  // left out because a value was missing
};

/// Takes the named column out of the table, its categories as well, and returns its values.
std::vector<double> take_column(CodedTable& table, std::string_view name);

}  // namespace earshot
