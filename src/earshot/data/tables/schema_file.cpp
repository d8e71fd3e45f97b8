#include "earshot/data/tables/schema_file.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/json.hpp"
#include "earshot/core/text.hpp"
#include "earshot/core/toml_json.hpp"
#include "earshot/data/formats/plain_text.hpp"

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
  SchemaReader(std::string_view toml, std::string origin) : origin_(std::move(origin)) {
    const TomlListener listener{[&](const std::string& path, unsigned line) { lines_[path] = line; },
                                [&](const std::string& path, const std::string& why) { refuse(path, why); }};
    try {
      root_ = toml_to_json(toml, listener);
    } catch (const TomlSyntaxError& error) {
      fail(Fault::kData, fmt::format("{}:{}: not valid TOML: {}", origin_, error.line, error.why));
    }
  }

  TableSchema read() const {
    check_keys(root_, "", {"delimiter", "header", "target", "column"});
    TableSchema schema;
    if (root_.contains("delimiter")) schema.format.delimiter = delimiter();
    if (root_.contains("header")) schema.format.header = boolean(root_["header"], "header");
    if (root_.contains("target")) schema.target = text(root_["target"], "target");
    if (!root_.contains("column") || !root_["column"].is_array())
      fail(Fault::kData, fmt::format("{}: holds no [[column]]", origin_));
    for (std::size_t i = 0; i < root_["column"].size(); ++i) {
      const std::string path = fmt::format("column[{}]", i);
      if (!root_["column"][i].is_object()) refuse("column", "write it as [[column]]");
      schema.format.columns.push_back(column(root_["column"][i], path));
    }
    return schema;
  }

 private:
  [[noreturn]] void refuse(const std::string& path, const std::string& why) const {
    const std::string key = path.substr(path.rfind('.') + 1);
    const auto found = lines_.find(path);
    fail(Fault::kData,
         fmt::format("{}:{}: {}: {}", origin_, found == lines_.end() ? 1U : found->second, key, why));
  }

  void check_keys(const Json& table, const std::string& prefix,
                  std::initializer_list<const char*> allowed) const {
    const std::vector<std::string> names(allowed.begin(), allowed.end());
    for (const auto& [name, value] : table.items()) {
      if (std::ranges::find(names, name) == names.end())
        fail(Fault::kData, fmt::format("{}:{}: unknown key {}; {}", origin_, lines_.at(prefix + name),
                                       in_quotes(name), suggest(name, names)));
    }
  }

  std::string text(const Json& value, const std::string& path) const {
    if (!value.is_string()) refuse(path, "a text in quotes is expected");
    return value.get<std::string>();
  }

  bool boolean(const Json& value, const std::string& path) const {
    if (!value.is_boolean()) refuse(path, "true or false is expected");
    return value.get<bool>();
  }

  double number(const Json& value, const std::string& path) const {
    if (!value.is_number()) refuse(path, "a finite number is expected");
    return value.get<double>();
  }

  char delimiter() const {
    const std::string value = text(root_["delimiter"], "delimiter");
    if (value.size() != 1 || std::string_view(",;\t| ").find(value) == std::string_view::npos)
      refuse("delimiter", "allowed: \",\", \";\", \"\\t\", \"|\", \" \"");
    return value.front();
  }

  std::vector<std::string> categories(const Json& list, const std::string& path) const {
    if (!list.is_array()) refuse(path, "a list of texts is expected");
    std::vector<std::string> result;
    for (const Json& item : list) result.push_back(text(item, path));
    return result;
  }

  ColumnSchema column(const Json& table, const std::string& path) const {
    const std::string prefix = path + ".";
    check_keys(table, prefix, {"name", "kind", "missing", "categories", "lowest", "highest"});
    for (const char* key : {"name", "kind"}) {
      if (!table.contains(key)) refuse(path, fmt::format("give it a {}", key));
    }
    ColumnSchema result;
    result.name = text(table["name"], prefix + "name");
    const std::string kind = text(table["kind"], prefix + "kind");
    result.kind = with_context(fmt::format("{}:{}: kind", origin_, lines_.at(prefix + "kind")),
                               [&] { return parse_column_kind(kind); });
    if (table.contains("missing")) result.missing_text = text(table["missing"], prefix + "missing");
    if (table.contains("categories")) {
      if (result.kind != ColumnKind::kCategory)
        refuse(prefix + "categories", "only a column of kind category has them");
      result.categories = categories(table["categories"], prefix + "categories");
    }
    if (table.contains("lowest")) result.lowest = bound(table, result.kind, prefix, "lowest");
    if (table.contains("highest")) result.highest = bound(table, result.kind, prefix, "highest");
    return result;
  }

  double bound(const Json& table, ColumnKind kind, const std::string& prefix, const char* key) const {
    if (kind != ColumnKind::kReal && kind != ColumnKind::kInteger)
      refuse(prefix + key, "only a column of kind real or integer has a range");
    return number(table[key], prefix + key);
  }

  std::string origin_;
  std::map<std::string, unsigned, std::less<>> lines_;
  Json root_;
};

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
  TableSchema schema = SchemaReader(check_text(toml, origin), origin).read();
  check_schema(schema, origin);
  return schema;
}

}  // namespace earshot
