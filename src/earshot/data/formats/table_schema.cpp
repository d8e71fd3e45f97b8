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

std::string range_words(const ColumnSchema& column) {
  const bool below = std::isfinite(column.lowest);
  const bool above = std::isfinite(column.highest);
  if (below && above) return fmt::format(" from {} to {}", column.lowest, column.highest);
  if (below) return fmt::format(" of at least {}", column.lowest);
  return above ? fmt::format(" of at most {}", column.highest) : "";
}

std::string category_words(std::string_view text, const std::vector<std::string>& categories) {
  if (categories.size() > kMostListed) return fmt::format("allowed: one of {} categories", categories.size());
  std::vector<std::string> shown = categories;
  std::ranges::replace(shown, std::string(), std::string("an empty cell"));
  return suggest(text, shown);
}

std::string allowed_words(const ColumnSchema& column, std::string_view text) {
  switch (column.kind) {
    case ColumnKind::kReal:
      return "allowed: a finite number" + range_words(column);
    case ColumnKind::kInteger:
      return "allowed: a whole number" + range_words(column) +
             (column.top_text ? ", or " + in_quotes(*column.top_text) : "");
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
  if (column.top_text && (column.kind != ColumnKind::kInteger || !std::isfinite(column.highest)))
    fail(Fault::kConfig,
         fmt::format("column {}: a text for large numbers needs whole numbers and the highest",
                     in_quotes(column.name)));
  if (column.kind == ColumnKind::kCategory && column.categories.empty())
    fail(Fault::kConfig, fmt::format("column {}: list the categories it may hold", in_quotes(column.name)));
}

std::map<std::string, double, std::less<>> code_by_category(const ColumnSchema& column) {
  std::map<std::string, double, std::less<>> codes;
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

CellReader::CellReader(ColumnSchema schema) : schema_(std::move(schema)) {
  check_schema(schema_);
  codes_ = code_by_category(schema_);
}

bool CellReader::is_read() const {
  return schema_.kind != ColumnKind::kIdentifier && schema_.kind != ColumnKind::kIgnored;
}

bool CellReader::is_missing(const TextCell& cell) const {
  return !cell.quoted && schema_.missing_text == cell.text;
}

std::optional<double> CellReader::parse(std::string_view text) const {
  if (schema_.kind == ColumnKind::kReal) return within_range(schema_, parse_finite(text));
  if (schema_.kind == ColumnKind::kDate) return parse_date(text);
  if (schema_.kind == ColumnKind::kInteger)
    return schema_.top_text == text ? schema_.highest : within_range(schema_, parse_integer(text));
  const auto code = codes_.find(text);
  return code != codes_.end() ? std::optional(code->second) : std::nullopt;
}

double CellReader::value(const TextCell& cell, const std::string& origin) const {
  const std::optional<double> value = parse(cell.text);
  if (!value)
    refuse(cell, origin,
           fmt::format("{} found, {}", in_quotes(cell.text), allowed_words(schema_, cell.text)));
  return *value;
}

void CellReader::refuse(const TextCell& cell, const std::string& origin, const std::string& why) const {
  fail(Fault::kData, fmt::format("{}:{}: column {}: {}", origin, cell.line, in_quotes(schema_.name), why));
}

TableBuilder::TableBuilder(std::string origin, std::vector<ColumnSchema> columns, std::size_t most_values)
    : origin_(std::move(origin)), most_values_(most_values) {
  columns_.reserve(columns.size());
  for (ColumnSchema& schema : columns) {
    const CellReader& column = columns_.emplace_back(Column{CellReader(std::move(schema)), {}}).reader;
    if (!column.is_read()) continue;
    result_.table.columns.push_back(column.schema().name);
    result_.categories.push_back(column.schema().categories);
  }
  if (result_.table.columns.empty()) fail(Fault::kData, "no column can be used as numbers");
}

void TableBuilder::check_identifier(Column& column, const TextCell& cell) const {
  if (cell.text.empty())
    column.reader.refuse(cell, origin_, "the identifier is empty; give every row its own");
  const auto [first, added] = column.seen.emplace(cell.text, cell.line);
  if (!added)
    column.reader.refuse(cell, origin_,
                         fmt::format("{} already identifies the row of line {}; give every row its own",
                                     in_quotes(cell.text), first->second));
}

bool TableBuilder::read_row(std::span<const TextCell> cells) {
  row_.clear();
  bool complete = true;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    Column& column = columns_[i];
    if (column.reader.is_missing(cells[i])) {
      complete = false;
    } else if (column.reader.is_read()) {
      row_.push_back(column.reader.value(cells[i], origin_));
    } else if (column.reader.schema().kind == ColumnKind::kIdentifier) {
      check_identifier(column, cells[i]);
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
