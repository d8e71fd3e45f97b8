#include "earshot/data/formats/table_schema.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/json.hpp"
#include "earshot/core/text.hpp"
#include "earshot/data/formats/plain_text.hpp"

namespace earshot {
namespace {

constexpr std::size_t kLongestName = 256;
constexpr std::size_t kMostListed = 20;

constexpr std::array<std::pair<ColumnKind, std::string_view>, 6> kKinds{
    {{ColumnKind::kReal, "real"},
     {ColumnKind::kInteger, "integer"},
     {ColumnKind::kCategory, "category"},
     {ColumnKind::kDate, "date"},
     {ColumnKind::kIdentifier, "identifier"},
     {ColumnKind::kIgnored, "ignored"}}};

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

/// JSON text is UTF-8 by definition, and its writer refuses anything else.
bool is_printable(std::string_view text) {
  try {
    return !Json(text).dump().empty() && std::ranges::none_of(text, is_control);
  } catch (const Json::type_error&) {
    return false;
  }
}

std::optional<double> within_range(const ColumnSchema& column, std::optional<double> value) {
  return value && *value >= column.lowest && *value <= column.highest ? value : std::nullopt;
}

/// The number a cell stands for, if the column allows it.
std::optional<double> parse_value(const ColumnSchema& column, const CategoryCodes& codes,
                                  std::string_view text) {
  if (column.kind == ColumnKind::kReal) return within_range(column, parse_finite(text));
  if (column.kind == ColumnKind::kInteger) return within_range(column, parse_integer(text));
  if (column.kind == ColumnKind::kDate) return parse_date(text);
  const auto code = codes.find(text);
  return code != codes.end() ? std::optional(code->second) : std::nullopt;
}

std::string range_words(const ColumnSchema& column) {
  const bool below = std::isfinite(column.lowest);
  const bool above = std::isfinite(column.highest);
  if (below && above) return fmt::format(" from {} to {}", column.lowest, column.highest);
  if (below) return fmt::format(" of at least {}", column.lowest);
  return above ? fmt::format(" of at most {}", column.highest) : "";
}

std::string category_words(std::string_view text, const std::vector<std::string>& categories) {
  if (categories.size() > kMostListed) return fmt::format("allowed: one of {} categories", categories.size());
  return suggest(text, categories);
}

std::string allowed_words(const ColumnSchema& column, std::string_view text) {
  switch (column.kind) {
    case ColumnKind::kReal:
      return "allowed: a finite number" + range_words(column);
    case ColumnKind::kInteger:
      return "allowed: a whole number" + range_words(column);
    case ColumnKind::kCategory:
      return category_words(text, column.categories);
    case ColumnKind::kDate:
      return "allowed: a date YYYY-MM-DD";
    case ColumnKind::kIdentifier:
    case ColumnKind::kIgnored:
      break;
  }
  fail(Fault::kInternal, "a column that is left out has no values to allow");
}

void check_schema(const ColumnSchema& column) {
  if (column.lowest > column.highest)
    fail(Fault::kConfig, fmt::format("column {}: the lowest allowed value {} is above the highest {}",
                                     in_quotes(column.name), column.lowest, column.highest));
  if (column.kind == ColumnKind::kCategory && column.categories.empty())
    fail(Fault::kConfig, fmt::format("column {}: list the categories it may hold", in_quotes(column.name)));
}

CategoryCodes code_by_category(const ColumnSchema& column) {
  CategoryCodes codes;
  for (const std::string& category : column.categories) {
    if (!is_printable(category))
      fail(Fault::kData, fmt::format("column {}: category {} is not printable UTF-8 text",
                                     in_quotes(column.name), in_quotes(category)));
    if (!codes.emplace(category, static_cast<double>(codes.size())).second)
      fail(Fault::kData, fmt::format("column {}: category {} is listed twice; list it once",
                                     in_quotes(column.name), in_quotes(category)));
  }
  return codes;
}

}  // namespace

std::string_view to_string(ColumnKind kind) {
  return std::ranges::find(kKinds, kind, &decltype(kKinds)::value_type::first)->second;
}

ColumnKind parse_column_kind(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& [kind, known] : kKinds) {
    if (known == name) return kind;
    names.emplace_back(known);
  }
  fail(Fault::kData, fmt::format("no kind of column {}; {}", in_quotes(name), suggest(name, names)));
}

void check_column_names(std::span<const ColumnSchema> columns) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string& name = columns[i].name;
    const auto refuse = [&](const std::string& why) {
      fail(Fault::kData, fmt::format("column {}, {}, {}", i + 1, in_quotes(name), why));
    };
    if (name.empty()) refuse("has no name; give it one");
    if (name.size() > kLongestName) refuse(fmt::format("has a name longer than {} bytes", kLongestName));
    if (!is_printable(name)) refuse("has a name that is not printable UTF-8 text");
    if (!seen.insert(name).second) refuse("has the name of an earlier column; rename one of them");
  }
}

void check_width(std::span<const TextCell> cells, std::size_t expected, const std::string& origin) {
  if (cells.size() == expected) return;
  const bool empty = cells.size() == 1 && cells.front().text.empty();
  const std::string found =
      empty ? "the line is empty" : fmt::format("{} field{}", cells.size(), cells.size() == 1 ? "" : "s");
  fail(Fault::kData, fmt::format("{}:{}: {}, expected {} field{}", origin, cells.front().line, found,
                                 expected, expected == 1 ? "" : "s"));
}

TableBuilder::TableBuilder(std::string origin, std::vector<ColumnSchema> columns, std::size_t most_values)
    : origin_(std::move(origin)), most_values_(most_values) {
  columns_.reserve(columns.size());
  for (ColumnSchema& column : columns) {
    check_schema(column);
    CategoryCodes codes = code_by_category(column);
    if (column.kind != ColumnKind::kIdentifier && column.kind != ColumnKind::kIgnored) {
      result_.table.columns.push_back(column.name);
      result_.categories.push_back(column.categories);
    }
    columns_.push_back({std::move(column), std::move(codes), {}});
  }
  if (result_.table.columns.empty()) fail(Fault::kData, "no column can be used as numbers");
}

void TableBuilder::refuse(const Column& column, const TextCell& cell, const std::string& why) const {
  fail(Fault::kData,
       fmt::format("{}:{}: column {}: {}", origin_, cell.line, in_quotes(column.schema.name), why));
}

void TableBuilder::check_identifier(Column& column, const TextCell& cell) const {
  if (cell.text.empty()) refuse(column, cell, "the identifier is empty; give every row its own");
  const auto [first, added] = column.seen.emplace(cell.text, cell.line);
  if (!added)
    refuse(column, cell,
           fmt::format("{} already identifies the row of line {}; give every row its own",
                       in_quotes(cell.text), first->second));
}

double TableBuilder::value_of(const Column& column, const TextCell& cell) const {
  const std::optional<double> value = parse_value(column.schema, column.codes, cell.text);
  if (!value)
    refuse(column, cell,
           fmt::format("{} found, {}", in_quotes(cell.text), allowed_words(column.schema, cell.text)));
  return *value;
}

bool TableBuilder::read_row(std::span<const TextCell> cells) {
  row_.clear();
  bool complete = true;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    Column& column = columns_[i];
    if (!cells[i].quoted && column.schema.missing_text == cells[i].text) {
      complete = false;
    } else if (column.schema.kind == ColumnKind::kIdentifier) {
      check_identifier(column, cells[i]);
    } else if (column.schema.kind != ColumnKind::kIgnored) {
      row_.push_back(value_of(column, cells[i]));
    }
  }
  return complete;
}

void TableBuilder::add(std::span<const TextCell> cells) {
  check_width(cells, columns_.size(), origin_);
  if (!read_row(cells)) {
    ++result_.dropped_rows;
    return;
  }
  std::vector<double>& values = result_.table.values;
  if (row_.size() > most_values_ - values.size())
    fail(Fault::kData, fmt::format("{}:{}: the table holds more than {} numbers; split it", origin_,
                                   cells.front().line, most_values_));
  values.insert(values.end(), row_.begin(), row_.end());
  ++result_.table.row_count;
}

CodedTable TableBuilder::finish() && {
  if (result_.table.row_count == 0)
    fail(Fault::kData,
         fmt::format("{}: holds no {}row", origin_, result_.dropped_rows > 0 ? "complete " : ""));
  return std::move(result_);
}

}  // namespace earshot
