// CSV files under a schema, row by row: for files of millions of rows that become something smaller.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "earshot/data/formats/csv.hpp"
#include "earshot/data/formats/line_stream.hpp"

namespace earshot {

/// Memory does not grow with the file. A record may not go over several lines, and identifiers are not for
/// here: knowing that they all differ takes memory for all of them.
class CsvRows {
 public:
  CsvRows(LineStream lines, const CsvFormat& format);

  /// The next row, false when there is none: one value per column of the format and in its order, none where
  /// it is missing or ignored. A file without any row is refused.
  bool next(std::vector<std::optional<double>>& row);
  /// Fails for a column, by its position in the format, of the row last read.
  [[noreturn]] void refuse(std::size_t column, const std::string& why) const;

 private:
  bool next_record();
  void read_header(const CsvFormat& format);

  LineStream lines_;
  char delimiter_;
  std::vector<CellReader> readers_;     // in the format's order
  std::vector<std::size_t> positions_;  // of the file's columns in the format
  std::vector<TextCell> cells_;
  std::size_t rows_ = 0;
};

}  // namespace earshot
