// CSV files as tables of numbers: under a schema, or any file that holds only numbers below its header.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "earshot/data/table.hpp"
#include "earshot/data/table_schema.hpp"

namespace earshot {

struct CsvFormat {
  std::vector<ColumnSchema> columns;
  /// With a header, columns are matched by name in any order, and neither may name one the other lacks;
  /// without, as in UCI's .data files, they come in the schema's order.
  bool header = true;
  char delimiter = ',';
};

/// `origin` names the file in messages. Everything the format does not allow is refused, with line and
/// column.
CodedTable read_csv(std::string_view text, const std::string& origin, const CsvFormat& format);

/// A header line, then finite numbers only.
NumericTable read_numeric_csv(std::string_view text, const std::string& origin, char delimiter = ',');

}  // namespace earshot
