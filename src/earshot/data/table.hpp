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

}  // namespace earshot
