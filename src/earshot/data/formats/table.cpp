#include "earshot/data/formats/table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/text.hpp"

namespace earshot {

std::span<const double> NumericTable::row(std::size_t i) const {
  if (i >= row_count) fail(Fault::kInternal, fmt::format("row {} asked of a table of {} rows", i, row_count));
  return std::span(values).subspan(i * columns.size(), columns.size());
}

std::size_t NumericTable::column(std::string_view name) const {
  return column_position(columns, name);
}

std::size_t column_position(std::span<const std::string> columns, std::string_view name) {
  const auto at = std::ranges::find(columns, name);
  if (at == columns.end())
    fail(Fault::kConfig, fmt::format("no column \"{}\"; {}", name, suggest(name, columns)));
  return static_cast<std::size_t>(at - columns.begin());
}

std::vector<double> take_column(NumericTable& table, std::string_view name) {
  const std::size_t taken = table.column(name);
  const std::size_t width = table.columns.size();
  std::vector<double> values;
  values.reserve(table.row_count);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < table.values.size(); ++i) {
    if (i % width == taken) {
      values.push_back(table.values[i]);
    } else {
      table.values[kept++] = table.values[i];
    }
  }
  table.values.resize(kept);
  table.columns.erase(table.columns.begin() + static_cast<std::ptrdiff_t>(taken));
  return values;
}

std::vector<double> take_column(CodedTable& table, std::string_view name) {
  const auto taken = static_cast<std::ptrdiff_t>(table.table.column(name));
  table.categories.erase(table.categories.begin() + taken);
  return take_column(table.table, name);
}

}  // namespace earshot
