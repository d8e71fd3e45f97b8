// Comma-separated text cut into records of cells: RFC 4180, read one record at a time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "earshot/data/formats/table_schema.hpp"

namespace earshot {

/// Beyond RFC 4180, as files in the wild have it: lines may end in LF, the last one need not end, a UTF-8
/// byte-order mark may come first, empty lines may come last, and blanks around a cell are not part of it
/// unless quoted.
class CsvRecords {
 public:
  /// `text` must outlive this. The delimiter is a comma, semicolon, tab, vertical bar, or a blank: then cells
  /// are separated by any number of blanks and tabs, and none is empty unless quoted.
  /// `first_line` is the number of its first line, for messages.
  CsvRecords(std::string_view text, std::string origin, char delimiter, std::size_t first_line = 1);

  /// The next record, false when there is none.
  bool next(std::vector<TextCell>& record);

 private:
  [[noreturn]] void refuse(std::size_t line, const std::string& why) const;
  void read_cell(TextCell& cell);
  void read_quoted(TextCell& cell);
  void skip_blanks();
  void skip_separating_blanks();
  /// Steps over what separates two cells; false at the end of the record.
  bool another_cell();
  bool at_line_end() const;
  bool at_cell_end() const;

  std::string_view text_;  // what is left
  std::string origin_;
  char delimiter_;
  std::string_view cell_ends_;  // the delimiter and the end of a line
  std::size_t line_;
};

}  // namespace earshot
