// The schema of a table as a TOML file: printed for a user to edit, and read back strictly.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "earshot/data/formats/csv.hpp"

namespace earshot {

struct TableSchema {
  CsvFormat format;
  std::string target;  // the column to be learnt; empty: none

  bool operator==(const TableSchema&) const = default;
};

/// `notes` has one line of comment per column, or is empty.
std::string to_toml(const TableSchema& schema, std::span<const std::string> notes);

/// Keys: `delimiter`, `header`, `target`, and per `[[column]]` `name`, `kind`, `missing`, `categories`,
/// `lowest`, `highest`. Whatever else is there, or does not make a schema, is refused with its line.
TableSchema parse_table_schema(std::string_view toml, const std::string& origin);

}  // namespace earshot
