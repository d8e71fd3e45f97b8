// CSV files as tables of numbers: under a schema, or any file that holds only numbers below its header.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "earshot/data/formats/table.hpp"
#include "earshot/data/formats/table_schema.hpp"

namespace earshot {

struct CsvFormat {
  std::vector<ColumnSchema> columns{};
  /// With a header, columns are matched by name in any order, and neither may name one the other lacks;
  /// without, as in UCI's .data files, they come in the schema's order.
  bool header = true;
  char delimiter = ',';

  bool operator==(const CsvFormat&) const = default;
};

/// `origin` names the file in messages. Everything the format does not allow is refused, with line and
/// column.
CodedTable read_csv(std::string_view text, const std::string& origin, const CsvFormat& format);

/// Cells as they stand, by row and named column.
struct TextTable {
  std::vector<std::string> columns;
  std::vector<std::vector<TextCell>> rows;

  /// The column's position; fails with the nearest spelling when no column has that name.
  std::size_t column(std::string_view name) const;
};

/// A header line, then records of as many cells, whatever they hold: for columns of text.
TextTable read_text_csv(std::string_view text, const std::string& origin, char delimiter = ',');

/// A header line, then finite numbers only.
NumericTable read_numeric_csv(std::string_view text, const std::string& origin, char delimiter = ',');

}  // namespace earshot
