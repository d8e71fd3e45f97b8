// Fuzzes the CSV readers: what they accept must be a table of finite numbers, under a schema one that keeps
// to it, and the same row by row.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "earshot/data/formats/csv_rows.hpp"
#include "fuzz_target.hpp"

namespace {

void check(const earshot::NumericTable& table) {
  if (table.row_count == 0 || table.values.size() != table.row_count * table.columns.size()) std::abort();
  if (!std::ranges::all_of(table.values, [](double value) { return std::isfinite(value); })) std::abort();
  if (table.column(table.columns.back()) != table.columns.size() - 1) std::abort();
}

/// Columns a and b, as most samples have them.
earshot::CsvFormat format(bool header) {
  using earshot::ColumnKind;
  return {.columns = {{.name = "a", .kind = ColumnKind::kInteger, .lowest = 0, .missing_text = ""},
                      {.name = "b", .kind = ColumnKind::kCategory, .categories = {"2", "x"}}},
          .header = header};
}

void check_schema(const earshot::CodedTable& result) {
  check(result.table);
  const std::size_t a = result.table.column("a");
  const std::size_t b = result.table.column("b");
  for (std::size_t i = 0; i < result.table.row_count; ++i) {
    if (result.table.row(i)[a] < 0 || result.table.row(i)[b] > 1) std::abort();
  }
}

/// Row by row: the rows in which nothing is missing are those of the whole table.
void check_rows(std::string_view text, const earshot::CsvFormat& format, const earshot::NumericTable& table) {
  const std::size_t a = table.column("a");
  const std::size_t b = table.column("b");
  earshot::CsvRows rows(earshot::LineStream(earshot::TextFile{text, "fuzz"}), format);
  std::size_t kept = 0;
  for (std::vector<std::optional<double>> row; rows.next(row);) {
    if (!row[0] || !row[1]) continue;
    if (kept == table.row_count || table.row(kept)[a] != *row[0] || table.row(kept)[b] != *row[1])
      std::abort();
    ++kept;
  }
  if (kept != table.row_count) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const char delimiter : {',', ';', ' '})
    earshot::fuzzing::accept_or_refuse([&] { check(earshot::read_numeric_csv(text, "fuzz", delimiter)); });
  for (const bool header : {true, false})
    earshot::fuzzing::accept_or_refuse([&] {
      const earshot::CodedTable result = earshot::read_csv(text, "fuzz", format(header));
      check_schema(result);
      check_rows(text, format(header), result.table);
    });
  return 0;
}
