// The first line of a CSV file: the names of its columns, matched with a schema.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "earshot/data/formats/table_schema.hpp"

namespace earshot {

struct CsvHeader {
  std::vector<ColumnSchema> columns;  // names only: all kReal
  std::string where;                  // `origin:line`, for messages
};

/// Refuses names that are empty, over-long, not printable UTF-8 or used twice.
CsvHeader read_csv_header(std::span<const TextCell> cells, const std::string& origin);

/// For each column of the header, its position in the schema; neither may name one the other
/// lacks.
std::vector<std::size_t> match_columns(const CsvHeader& header, std::span<const ColumnSchema> columns);

}  // namespace earshot
