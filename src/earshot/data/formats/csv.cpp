#include "earshot/data/formats/csv.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/text.hpp"
#include "earshot/data/formats/csv_records.hpp"
#include "earshot/data/formats/plain_text.hpp"

namespace earshot {
namespace {

// Cells of text take far more memory than numbers.
constexpr std::size_t kMostCells = std::size_t{1} << 25;

struct Header {
  std::vector<ColumnSchema> columns;  // all kReal until matched with a schema
  std::string where;
};

/// The names of the first record, checked.
Header read_header(CsvRecords& records, const std::string& origin) {
  std::vector<TextCell> cells;
  if (!records.next(cells)) fail(Fault::kData, fmt::format("{}: is empty, expected a header line", origin));
  Header header{{}, fmt::format("{}:{}", origin, cells.front().line)};
  for (TextCell& cell : cells) {
    header.columns.emplace_back();
    header.columns.back().name = std::move(cell.text);
  }
  with_context(header.where, [&] { check_column_names(header.columns); });
  return header;
}

/// The schema's columns in the order of the header.
std::vector<ColumnSchema> match(const Header& header, const std::vector<ColumnSchema>& columns) {
  std::map<std::string_view, const ColumnSchema*> by_name;
  std::vector<std::string> names;
  for (const ColumnSchema& column : columns) {
    by_name.emplace(column.name, &column);
    names.push_back(column.name);
  }
  std::vector<ColumnSchema> matched;
  for (const ColumnSchema& named : header.columns) {
    const auto found = by_name.find(named.name);
    if (found == by_name.end())
      fail(Fault::kData, fmt::format("{}: unknown column {}; {}", header.where, in_quotes(named.name),
                                     suggest(named.name, names)));
    matched.push_back(*found->second);
    by_name.erase(found);
  }
  if (!by_name.empty())
    fail(Fault::kData,
         fmt::format("{}: the header lacks the column {}", header.where, in_quotes(by_name.begin()->first)));
  return matched;
}

void check_looks_like_names(const Header& header) {
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
  const Header header = read_header(records, origin);
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
  Header header = read_header(records, origin);
  check_looks_like_names(header);
  return read_rows(records, origin, std::move(header.columns)).table;
}

}  // namespace earshot
