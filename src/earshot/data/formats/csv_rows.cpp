#include "earshot/data/formats/csv_rows.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/data/formats/csv_header.hpp"
#include "earshot/data/formats/csv_records.hpp"

namespace earshot {

CsvRows::CsvRows(LineStream lines, const CsvFormat& format)
    : lines_(std::move(lines)), delimiter_(format.delimiter) {
  with_context("schema of " + lines_.origin(), [&] {
    check_column_names(format.columns);
    for (const ColumnSchema& column : format.columns) readers_.emplace_back(column);
    if (std::ranges::any_of(format.columns,
                            [](const ColumnSchema& c) { return c.kind == ColumnKind::kIdentifier; }))
      fail(Fault::kConfig, "rows that are read one by one have no identifiers");
  });
  positions_.resize(format.columns.size());
  std::iota(positions_.begin(), positions_.end(), std::size_t{0});
  if (format.header) read_header(format);
}

void CsvRows::read_header(const CsvFormat& format) {
  if (!next_record())
    fail(Fault::kData, fmt::format("{}: is empty, expected a header line", lines_.origin()));
  positions_ = match_columns(read_csv_header(cells_, lines_.origin()), format.columns);
}

/// Empty lines may come last, and only there.
bool CsvRows::next_record() {
  std::string_view line;
  std::size_t empty = 0;
  while (lines_.next(line)) {
    if (line.empty()) {
      if (empty == 0) empty = lines_.line();
      continue;
    }
    if (empty != 0)
      fail(Fault::kData, fmt::format("{}:{}: the line is empty, expected {} fields", lines_.origin(), empty,
                                     readers_.size()));
    CsvRecords(line, lines_.origin(), delimiter_, lines_.line()).next(cells_);
    return true;
  }
  return false;
}

bool CsvRows::next(std::vector<std::optional<double>>& row) {
  if (!next_record()) {
    if (rows_ == 0) fail(Fault::kData, fmt::format("{}: holds no row", lines_.origin()));
    return false;
  }
  ++rows_;
  check_width(cells_, readers_.size(), lines_.origin());
  row.assign(readers_.size(), std::nullopt);
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const CellReader& reader = readers_[positions_[i]];
    if (reader.is_read() && !reader.is_missing(cells_[i]))
      row[positions_[i]] = reader.value(cells_[i], lines_.origin());
  }
  return true;
}

void CsvRows::refuse(std::size_t column, const std::string& why) const {
  const auto at = std::ranges::find(positions_, column) - positions_.begin();
  readers_.at(column).refuse(cells_.at(static_cast<std::size_t>(at)), lines_.origin(), why);
}

}  // namespace earshot
