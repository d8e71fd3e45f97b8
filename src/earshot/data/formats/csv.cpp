#include "earshot/data/formats/csv.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/text.hpp"
#include "earshot/data/formats/csv_header.hpp"
#include "earshot/data/formats/csv_records.hpp"
#include "earshot/data/formats/plain_text.hpp"

namespace earshot {
namespace {

// Cells of text take far more memory than numbers.
constexpr std::size_t kMostCells = std::size_t{1} << 25;

CsvHeader read_header(CsvRecords& records, const std::string& origin) {
  std::vector<TextCell> cells;
  if (!records.next(cells)) fail(Fault::kData, fmt::format("{}: is empty, expected a header line", origin));
  return read_csv_header(cells, origin);
}

/// The schema's columns in the order of the header.
std::vector<ColumnSchema> match(const CsvHeader& header, const std::vector<ColumnSchema>& columns) {
  std::vector<ColumnSchema> matched;
  for (const std::size_t position : match_columns(header, columns)) matched.push_back(columns[position]);
  return matched;
}

void check_looks_like_names(const CsvHeader& header) {
  const bool numbers = std::ranges::all_of(
      header.columns, [](const ColumnSchema& column) { return parse_finite(column.name).has_value(); });
  if (numbers)
    fail(Fault::kData,
         fmt::format("{}: the first line holds only numbers; put a line of column names in front",
                     header.where));
}

CodedTable read_rows(CsvRecords& records, const std::string& origin, std::vector<ColumnSchema> columns) {
  TableBuilder builder = with_context(origin, [&] { return TableBuilder(origin, std::move(columns)); });
  std::vector<TextCell> cells;
  while (records.next(cells)) builder.add(cells);
  return std::move(builder).finish();
}

}  // namespace

CodedTable read_csv(std::string_view text, const std::string& origin, const CsvFormat& format) {
  with_context("schema of " + origin, [&] { check_column_names(format.columns); });
  CsvRecords records(text, origin, format.delimiter);
  if (!format.header) return read_rows(records, origin, format.columns);
  const CsvHeader header = read_header(records, origin);
  return read_rows(records, origin, match(header, format.columns));
}

std::size_t TextTable::column(std::string_view name) const {
  return column_position(columns, name);
}

TextTable read_text_csv(std::string_view text, const std::string& origin, char delimiter) {
  CsvRecords records(text, origin, delimiter);
  TextTable table;
  for (ColumnSchema& column : read_header(records, origin).columns)
    table.columns.push_back(std::move(column.name));
  std::vector<TextCell> cells;
  while (records.next(cells)) {
    check_width(cells, table.columns.size(), origin);
    if ((table.rows.size() + 1) * table.columns.size() > kMostCells)
      fail(Fault::kData,
           fmt::format("{}: the table holds more than {} cells of text; split it", origin, kMostCells));
    table.rows.push_back(std::move(cells));
  }
  if (table.rows.empty()) fail(Fault::kData, fmt::format("{}: holds no row", origin));
  return table;
}

NumericTable read_numeric_csv(std::string_view text, const std::string& origin, char delimiter) {
  CsvRecords records(text, origin, delimiter);
  CsvHeader header = read_header(records, origin);
  check_looks_like_names(header);
  return read_rows(records, origin, std::move(header.columns)).table;
}

}  // namespace earshot
