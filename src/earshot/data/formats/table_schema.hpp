// What a column of a text table may hold, and the way from its cells to numbers; shared by all formats.
#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "earshot/core/files.hpp"
#include "earshot/data/formats/table.hpp"

namespace earshot {

enum class ColumnKind {
  kReal,        // a finite number
  kInteger,     // a whole number of at most 2^53 in size, so that a double holds it exactly
  kCategory,    // one of `categories`; becomes its index
  kDate,        // YYYY-MM-DD; becomes the number of days since 1970-01-01
  kIdentifier,  // not empty, different in every row; checked and left out
  kIgnored      // anything; left out
};

struct ColumnSchema {
  std::string name;
  ColumnKind kind = ColumnKind::kReal;
  double lowest = -std::numeric_limits<double>::infinity();  // of kReal and kInteger
  double highest = std::numeric_limits<double>::infinity();
  std::vector<std::string> categories{};  // of kCategory
  /// A row with exactly this text, unquoted, in this column is left out and counted. Without it nothing may
  /// be missing.
  std::optional<std::string> missing_text{};
  /// Of kInteger: this text stands for `highest` and everything above it, as "7+" does where publishers cut
  /// large numbers off to protect people.
  std::optional<std::string> top_text{};

  bool operator==(const ColumnSchema&) const = default;
};

/// "real", "integer", "category", "date", "identifier" or "ignored".
std::string_view to_string(ColumnKind kind);
/// Fails with the nearest spelling.
ColumnKind parse_column_kind(std::string_view name);

/// One cell of a text table. `line` is where it starts, counted from 1.
struct TextCell {
  std::string text;
  bool quoted = false;
  std::size_t line = 0;
};

/// Refuses names that are empty, over-long, not printable UTF-8 or used twice.
void check_column_names(std::span<const ColumnSchema> columns);

/// Refuses a record that has not as many cells as the table has columns.
void check_width(std::span<const TextCell> cells, std::size_t expected, const std::string& origin);

/// The cells of one column as numbers, refusing with `origin:line: column "x": …` what the schema does not
/// allow.
class CellReader {
 public:
  /// Errors of the schema itself carry no origin: the caller knows where it came from.
  explicit CellReader(ColumnSchema schema);

  const ColumnSchema& schema() const { return schema_; }
  /// Whether the column becomes numbers: identifiers and what is ignored do not.
  bool is_read() const;
  bool is_missing(const TextCell& cell) const;
  double value(const TextCell& cell, const std::string& origin) const;
  [[noreturn]] void refuse(const TextCell& cell, const std::string& origin, const std::string& why) const;

 private:
  std::optional<double> parse(std::string_view text) const;

  ColumnSchema schema_;
  std::map<std::string, double, std::less<>> codes_;  // of the categories
};

/// As many numbers as take the memory of the largest input. A sparse row of two bytes can stand for thousands
/// of them, so the size of the text is no bound.
inline constexpr std::size_t kMostValues = kLargestInput / sizeof(double);

/// Turns rows of cells into a table, refusing what the schema does not allow.
class TableBuilder {
 public:
  /// Errors of the schema itself carry no origin: the caller knows where it came from.
  TableBuilder(std::string origin, std::vector<ColumnSchema> columns, std::size_t most_values = kMostValues);

  /// One cell per column, in the schema's order.
  void add(std::span<const TextCell> cells);
  /// Fails when no row was kept.
  CodedTable finish() &&;

 private:
  struct Column {
    CellReader reader;
    std::unordered_map<std::string, std::size_t> seen;  // identifier -> line
  };

  void check_identifier(Column& column, const TextCell& cell) const;
  /// Fills row_; false when a value is missing.
  bool read_row(std::span<const TextCell> cells);

  std::string origin_;
  std::size_t most_values_;
  std::vector<Column> columns_;
  std::vector<double> row_;
  CodedTable result_;
};

}  // namespace earshot
