#include "earshot/data/schema_file.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <toml++/impl/preprocessor.h>
// Version 3.3 states as certain, by assertions and assumptions, what bad input does not keep to. Without them
// it goes on to the checks that report it.
#undef TOML_ASSERT
#undef TOML_ASSUME
#define TOML_ASSERT(...) static_assert(true)
#define TOML_ASSUME(...) static_assert(true)
#include <toml++/toml.h>

#include "earshot/core/error.hpp"
#include "earshot/core/json.hpp"
#include "earshot/core/text.hpp"

namespace earshot {
namespace {

/// A JSON string is a TOML basic string, as long as it holds no control character.
std::string quoted(const std::string& text) {
  return Json(text).dump();
}

std::string column_toml(const ColumnSchema& column, std::string_view note) {
  std::string text =
      fmt::format("\n[[column]]\nname = {}\nkind = \"{}\"", quoted(column.name), to_string(column.kind));
  text += note.empty() ? "\n" : fmt::format("  # {}\n", note);
  if (column.missing_text) text += fmt::format("missing = {}\n", quoted(*column.missing_text));
  if (!column.categories.empty()) text += fmt::format("categories = {}\n", Json(column.categories).dump());
  if (std::isfinite(column.lowest)) text += fmt::format("lowest = {}\n", column.lowest);
  if (std::isfinite(column.highest)) text += fmt::format("highest = {}\n", column.highest);
  return text;
}

/// Reads the document; every refusal names the line.
class SchemaReader {
 public:
  explicit SchemaReader(std::string origin) : origin_(std::move(origin)) {}

  TableSchema read(const toml::table& root) const {
    check_keys(root, {"delimiter", "header", "target", "column"});
    TableSchema schema;
    if (const auto* node = root.get("delimiter")) schema.format.delimiter = delimiter(*node);
    if (const auto* node = root.get("header")) schema.format.header = boolean(*node, "header");
    if (const auto* node = root.get("target")) schema.target = text(*node, "target");
    const auto* columns = root.get("column");
    if (columns == nullptr || columns->as_array() == nullptr)
      fail(Fault::kData, fmt::format("{}: holds no [[column]]", origin_));
    for (const toml::node& node : *columns->as_array()) {
      if (node.as_table() == nullptr) refuse(node, "column", "write it as [[column]]");
      schema.format.columns.push_back(column(*node.as_table()));
    }
    return schema;
  }

 private:
  [[noreturn]] void refuse(const toml::node& node, std::string_view key, const std::string& why) const {
    fail(Fault::kData, fmt::format("{}:{}: {}: {}", origin_, node.source().begin.line, key, why));
  }

  void check_keys(const toml::table& table, std::initializer_list<const char*> allowed) const {
    const std::vector<std::string> names(allowed.begin(), allowed.end());
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      if (std::ranges::find(names, name) == names.end())
        fail(Fault::kData, fmt::format("{}:{}: unknown key {}; {}", origin_, key.source().begin.line,
                                       in_quotes(name), suggest(name, names)));
    }
  }

  std::string text(const toml::node& node, std::string_view key) const {
    if (const auto* value = node.as_string()) return value->get();
    refuse(node, key, "a text in quotes is expected");
  }

  bool boolean(const toml::node& node, std::string_view key) const {
    if (const auto* value = node.as_boolean()) return value->get();
    refuse(node, key, "true or false is expected");
  }

  double number(const toml::node& node, std::string_view key) const {
    if (const auto* value = node.as_integer()) return static_cast<double>(value->get());
    if (const auto* value = node.as_floating_point(); value != nullptr && std::isfinite(value->get()))
      return value->get();
    refuse(node, key, "a finite number is expected");
  }

  char delimiter(const toml::node& node) const {
    const std::string value = text(node, "delimiter");
    if (value.size() != 1 || std::string_view(",;\t| ").find(value) == std::string_view::npos)
      refuse(node, "delimiter", "allowed: \",\", \";\", \"\\t\", \"|\", \" \"");
    return value.front();
  }

  std::vector<std::string> categories(const toml::node& node) const {
    const auto* list = node.as_array();
    if (list == nullptr) refuse(node, "categories", "a list of texts is expected");
    std::vector<std::string> result;
    for (const toml::node& item : *list) result.push_back(text(item, "categories"));
    return result;
  }

  ColumnSchema column(const toml::table& table) const {
    check_keys(table, {"name", "kind", "missing", "categories", "lowest", "highest"});
    ColumnSchema result;
    for (const char* key : {"name", "kind"}) {
      if (table.get(key) == nullptr) refuse(table, "column", fmt::format("give it a {}", key));
    }
    result.name = text(*table.get("name"), "name");
    const toml::node& kind = *table.get("kind");
    result.kind = with_context(fmt::format("{}:{}: kind", origin_, kind.source().begin.line),
                               [&] { return parse_column_kind(text(kind, "kind")); });
    if (const auto* node = table.get("missing")) result.missing_text = text(*node, "missing");
    if (const auto* node = table.get("categories")) {
      if (result.kind != ColumnKind::kCategory)
        refuse(*node, "categories", "only a column of kind category has them");
      result.categories = categories(*node);
    }
    const bool ranged = result.kind == ColumnKind::kReal || result.kind == ColumnKind::kInteger;
    for (const char* key : {"lowest", "highest"}) {
      const auto* node = table.get(key);
      if (node == nullptr) continue;
      if (!ranged) refuse(*node, key, "only a column of kind real or integer has a range");
      (std::string_view(key) == "lowest" ? result.lowest : result.highest) = number(*node, key);
    }
    return result;
  }

  std::string origin_;
};

/// Whether everything outside quotes and comments is ASCII and no text spans several lines. A quote counts
/// only where a key or a value may begin.
bool is_plain(std::string_view line) {
  constexpr std::string_view kBeforeText = "=[{,.\n";
  char quote = '\0';
  char before = '\n';  // the last character outside quotes that is no blank
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != '\0') {
      if (c == '\\' && quote == '"') ++i;
      if (c == quote) quote = '\0';
      continue;
    }
    if (c == '#') return true;
    if (static_cast<unsigned char>(c) >= 0x80) return false;
    if ((c == '"' || c == '\'') && kBeforeText.find(before) != std::string_view::npos) {
      if (line.substr(i, 3) == std::string(3, c)) return false;
      quote = c;
    }
    if (c != ' ' && c != '\t') before = c;
  }
  return true;
}

/// Version 3.3 of the library behaves in an undefined way on characters outside quotes that are not ASCII,
/// also where it looks ahead in texts of several lines. Neither is of use in a schema.
void check_characters(std::string_view toml, const std::string& origin) {
  for (std::size_t number = 1; !toml.empty(); ++number) {
    const std::string_view line = toml.substr(0, toml.find('\n'));
    toml.remove_prefix(std::min(line.size() + 1, toml.size()));
    if (!is_plain(line))
      fail(Fault::kData,
           fmt::format("{}:{}: other letters than ASCII belong in quotes of one line", origin, number));
  }
}

/// Everything a table reader would refuse in the schema is refused here, as bad data of the schema's file.
void check_schema(const TableSchema& schema, const std::string& origin) {
  try {
    check_column_names(schema.format.columns);
    TableBuilder(origin, schema.format.columns);
  } catch (const Error& error) {
    fail(Fault::kData, fmt::format("{}: {}", origin, error.what()));
  }
  if (schema.target.empty()) return;
  std::vector<std::string> usable;
  for (const ColumnSchema& column : schema.format.columns) {
    if (column.kind != ColumnKind::kIdentifier && column.kind != ColumnKind::kIgnored)
      usable.push_back(column.name);
  }
  if (std::ranges::find(usable, schema.target) == usable.end())
    fail(Fault::kData, fmt::format("{}: target {} is no column that can be learnt; {}", origin,
                                   in_quotes(schema.target), suggest(schema.target, usable)));
}

}  // namespace

std::string to_toml(const TableSchema& schema, std::span<const std::string> notes) {
  std::string text = fmt::format("delimiter = {}\nheader = {}\n",
                                 quoted(std::string(1, schema.format.delimiter)), schema.format.header);
  text += schema.target.empty() ? "# target = \"the column to be learnt\"\n"
                                : fmt::format("target = {}\n", quoted(schema.target));
  for (std::size_t i = 0; i < schema.format.columns.size(); ++i)
    text += column_toml(schema.format.columns[i], i < notes.size() ? notes[i] : std::string());
  return text;
}

TableSchema parse_table_schema(std::string_view toml, const std::string& origin) {
  toml = check_text(toml, origin);
  check_characters(toml, origin);
  toml::table root;
  try {
    root = toml::parse(toml);
  } catch (const toml::parse_error& error) {
    std::string why(error.description());
    std::ranges::replace_if(
        why, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    fail(Fault::kData, fmt::format("{}:{}: not valid TOML: {}", origin, error.source().begin.line, why));
  }
  TableSchema schema = SchemaReader(origin).read(root);
  check_schema(schema, origin);
  return schema;
}

}  // namespace earshot
