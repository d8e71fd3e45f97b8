#include "earshot/data/tables/schema_inference.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/data/formats/csv_records.hpp"
#include "earshot/data/formats/plain_text.hpp"

namespace earshot {
namespace {

constexpr std::array<std::string_view, 8> kMissing{"", "?", "NA", "N/A", "NaN", "nan", "null", "NULL"};
constexpr std::size_t kMostCategories = 1000;
// Beyond this many different values a column is described by their number.
constexpr std::size_t kMostRemembered = 100000;
// Below this many rows repetition says nothing.
constexpr std::size_t kFewRows = 20;

/// What has been seen of one column.
struct Seen {
  std::map<std::string, std::size_t> values;
  bool too_many = false;  // values stopped growing
  bool integers = true;
  bool reals = true;
  bool dates = true;
  double lowest = 0;
  double highest = 0;
  std::size_t missing = 0;
  std::optional<std::string> marker;

  std::size_t distinct() const { return values.size(); }
};

/// The delimiter that cuts the first line into most cells; two that cut it into equally many are not decided
/// here.
char find_delimiter(std::string_view text, const std::string& origin) {
  char found = ',';
  std::size_t most = 1;
  bool undecided = false;
  for (const char delimiter : {',', ';', '\t', '|'}) {
    std::vector<TextCell> header;
    try {
      if (!CsvRecords(text, origin, delimiter).next(header)) break;
    } catch (const Error&) {
      continue;  // quotes that make no sense with this delimiter
    }
    if (header.size() < 2) continue;
    undecided = header.size() == most;
    if (header.size() <= most) continue;
    most = header.size();
    found = delimiter;
  }
  if (undecided)
    fail(Fault::kData, fmt::format("{}: two delimiters cut the first line into {} cells; write a schema that "
                                   "names one",
                                   origin, most));
  return found;
}

void look_at_number(Seen& seen, double value) {
  const bool first = seen.values.empty();
  seen.lowest = first ? value : std::min(seen.lowest, value);
  seen.highest = first ? value : std::max(seen.highest, value);
}

void look_at(Seen& seen, const TextCell& cell, const std::string& where) {
  if (!cell.quoted && std::ranges::find(kMissing, cell.text) != kMissing.end()) {
    if (seen.marker && *seen.marker != cell.text)
      fail(Fault::kData, fmt::format("{} marks missing values as {} and as {}; use one of them", where,
                                     in_quotes(*seen.marker), in_quotes(cell.text)));
    seen.marker = cell.text;
    ++seen.missing;
    return;
  }
  seen.integers = seen.integers && parse_integer(cell.text).has_value();
  seen.dates = seen.dates && parse_date(cell.text).has_value();
  if (seen.reals) {
    const std::optional<double> value = parse_finite(cell.text);
    seen.reals = value.has_value();
    if (value) look_at_number(seen, *value);
  }
  if (const auto known = seen.values.find(cell.text); known != seen.values.end()) {
    ++known->second;
  } else if (seen.values.size() < kMostRemembered) {
    seen.values.emplace(cell.text, 1);
  } else {
    seen.too_many = true;
  }
}

/// Whole numbers are identifiers when their column is called so: "id", "Patient Id", "row_no".
bool named_as_identifier(std::string name) {
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::size_t cut = name.find_last_of(" _-.");
  const std::string last = cut == std::string::npos ? name : name.substr(cut + 1);
  return last == "id" || last == "no" || last == "index";
}

std::string range_words(const Seen& seen) {
  return fmt::format("from {} to {}, {}{} different", seen.lowest, seen.highest, seen.too_many ? "over " : "",
                     seen.distinct());
}

/// Sets kind and categories; says why.
std::string decide(ColumnSchema& column, const Seen& seen, std::size_t rows) {
  const std::size_t present = rows - seen.missing;
  const bool all_different = !seen.too_many && seen.distinct() == present;
  const auto choose = [&](ColumnKind kind, std::string why) {
    column.kind = kind;
    return why;
  };
  if (present == 0) return choose(ColumnKind::kIgnored, "no value at all");
  if (seen.integers && all_different && seen.missing == 0 && named_as_identifier(column.name))
    return choose(ColumnKind::kIdentifier, "whole numbers, different in every row, and named so");
  if (seen.integers) return choose(ColumnKind::kInteger, range_words(seen));
  if (seen.reals) return choose(ColumnKind::kReal, range_words(seen));
  if (seen.dates)
    return choose(ColumnKind::kDate,
                  fmt::format("from {} to {}", seen.values.begin()->first, seen.values.rbegin()->first));
  const bool repeats = rows < kFewRows || seen.distinct() * 2 <= present;
  if (repeats && !seen.too_many && seen.distinct() <= kMostCategories) {
    for (const auto& [text, count] : seen.values) column.categories.push_back(text);
    return choose(ColumnKind::kCategory, fmt::format("{} different texts", seen.distinct()));
  }
  if (all_different && seen.missing == 0)
    return choose(ColumnKind::kIdentifier, "text, different in every row");
  return choose(ColumnKind::kIgnored, fmt::format("{}{} different texts in {} rows: free text, left out",
                                                  seen.too_many ? "over " : "", seen.distinct(), present));
}

std::vector<ColumnSchema> read_names(CsvRecords& records, const std::string& origin) {
  std::vector<TextCell> cells;
  if (!records.next(cells)) fail(Fault::kData, fmt::format("{}: is empty, expected a header line", origin));
  if (std::ranges::all_of(cells, [](const TextCell& cell) { return parse_finite(cell.text).has_value(); }))
    fail(Fault::kData,
         fmt::format("{}:1: the first line holds only numbers; put a line of column names in front", origin));
  std::vector<ColumnSchema> columns(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) columns[i].name = std::move(cells[i].text);
  with_context(origin + ":1", [&] { check_column_names(columns); });
  return columns;
}

}  // namespace

InferredSchema infer_schema(std::string_view text, const std::string& origin) {
  InferredSchema result;
  result.format.delimiter = find_delimiter(text, origin);
  CsvRecords records(text, origin, result.format.delimiter);
  result.format.columns = read_names(records, origin);
  std::vector<Seen> seen(result.format.columns.size());
  std::vector<TextCell> cells;
  for (; records.next(cells); ++result.rows) {
    check_width(cells, seen.size(), origin);
    for (std::size_t i = 0; i < seen.size(); ++i)
      look_at(
          seen[i], cells[i],
          fmt::format("{}:{}: column {}", origin, cells[i].line, in_quotes(result.format.columns[i].name)));
  }
  if (result.rows == 0) fail(Fault::kData, fmt::format("{}: holds no row", origin));
  for (std::size_t i = 0; i < seen.size(); ++i) {
    std::string why = decide(result.format.columns[i], seen[i], result.rows);
    if (seen[i].missing > 0) {
      why += fmt::format("; {} missing", seen[i].missing);
      result.format.columns[i].missing_text = seen[i].marker;
    }
    result.reasons.push_back(std::move(why));
  }
  with_context(origin, [&] { TableBuilder(origin, result.format.columns); });
  return result;
}

}  // namespace earshot
