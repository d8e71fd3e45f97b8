#include "earshot/data/formats/arff.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/data/formats/arff_line.hpp"
#include "earshot/data/formats/plain_text.hpp"
#include "earshot/data/formats/table_schema.hpp"

namespace earshot {
namespace {

constexpr std::size_t kMostAttributes = 65536;  // as many as a CSV record may have

/// Keywords may be written in any case.
std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::vector<std::string> read_categories(ArffLine& line) {
  std::vector<std::string> categories;
  TextCell word;
  line.take('{');
  do {
    line.read_word(word);
    categories.push_back(word.text);
  } while (line.take(','));
  if (!line.take('}')) fail(Fault::kData, "the list of categories is not closed by }");
  return categories;
}

void read_type(ArffLine& line, ColumnSchema& column) {
  if (line.starts_with('{')) {
    column.kind = ColumnKind::kCategory;
    column.categories = read_categories(line);
    return;
  }
  TextCell word;
  line.read_word(word);
  const std::string type = lower(word.text);
  if (type == "numeric" || type == "real") {
    column.kind = ColumnKind::kReal;
  } else if (type == "integer") {
    column.kind = ColumnKind::kInteger;
  } else if (type == "string") {
    column.kind = ColumnKind::kIgnored;
  } else {
    fail(Fault::kData, fmt::format("attribute {} has type {}, allowed: numeric, real, integer, string, "
                                   "{{a, list, of, categories}}",
                                   in_quotes(column.name), in_quotes(word.text)));
  }
}

class ArffReader {
 public:
  ArffReader(std::string origin, OnMissing on_missing)
      : origin_(std::move(origin)), on_missing_(on_missing) {}

  /// One line; `number` is counted from 1.
  void read(std::size_t number, std::string_view text) {
    ArffLine line(text);
    if (line.at_end()) return;
    number_ = number;
    if (builder_) {
      read_row(line);
    } else {
      with_context(where(), [&] { read_declaration(line); });
    }
  }

  CodedTable finish() && {
    if (!builder_) fail(Fault::kData, fmt::format("{}: has no @data line", origin_));
    return std::move(*builder_).finish();
  }

 private:
  std::string where() const { return fmt::format("{}:{}", origin_, number_); }

  void read_declaration(ArffLine& line) {
    TextCell word;
    line.read_word(word);
    const std::string keyword = lower(word.text);
    if (keyword == "@relation" && !named_) {
      line.read_word(word);
      named_ = true;
    } else if (keyword == "@attribute" && named_) {
      read_attribute(line);
    } else if (keyword == "@data" && named_) {
      start_data();
    } else {
      fail(Fault::kData, fmt::format("{} found, expected {}", in_quotes(word.text),
                                     named_ ? "@attribute or @data" : "@relation"));
    }
    line.expect_end();
  }

  void read_attribute(ArffLine& line) {
    if (columns_.size() == kMostAttributes)
      fail(Fault::kData, fmt::format("more than {} attributes", kMostAttributes));
    TextCell name;
    line.read_word(name);
    ColumnSchema column;
    column.name = std::move(name.text);
    read_type(line, column);
    const bool used = column.kind != ColumnKind::kIgnored;
    if (used && on_missing_ == OnMissing::kDropRow) column.missing_text.emplace(1, '?');
    columns_.push_back(std::move(column));
  }

  void start_data() {
    if (columns_.empty()) fail(Fault::kData, "@data comes before any @attribute");
    check_column_names(columns_);
    builder_.emplace(origin_, columns_);
  }

  void read_dense(ArffLine& line) {
    std::size_t count = 0;
    do {
      if (count > columns_.size()) break;  // one too many is enough to be refused
      if (count == cells_.size()) cells_.emplace_back();
      line.read_word(cells_[count++]);
    } while (line.take(','));
    cells_.resize(count);
    if (count <= columns_.size()) line.expect_end();
  }

  /// {index value, index value, ...}, indices counted from 0.
  void read_sparse(ArffLine& line) {
    set_defaults();
    std::vector<bool> given(columns_.size(), false);
    line.take('{');
    if (!line.starts_with('}')) {
      do {
        const std::size_t index = read_index(line);
        if (given[index]) fail(Fault::kData, fmt::format("index {} is given twice in a sparse row", index));
        given[index] = true;
        line.read_word(cells_[index]);
      } while (line.take(','));
    }
    if (!line.take('}')) fail(Fault::kData, "the sparse row is not closed by }");
    line.expect_end();
  }

  void set_defaults() {
    cells_.resize(columns_.size());
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const bool category = columns_[i].kind == ColumnKind::kCategory;
      cells_[i] = {category ? columns_[i].categories.front() : "0", true, 0};
    }
  }

  std::size_t read_index(ArffLine& line) const {
    TextCell word;
    line.read_word(word);
    const auto index = parse_finite(word.text);
    const bool whole = index && *index == std::floor(*index);
    if (!whole || *index < 0 || *index >= static_cast<double>(columns_.size()))
      fail(Fault::kData, fmt::format("{} found as index in a sparse row, allowed: 0 to {}",
                                     in_quotes(word.text), columns_.size() - 1));
    return static_cast<std::size_t>(*index);
  }

  void read_row(ArffLine& line) {
    with_context(where(), [&] { line.starts_with('{') ? read_sparse(line) : read_dense(line); });
    for (TextCell& cell : cells_) cell.line = number_;
    builder_->add(cells_);
  }

  std::string origin_;
  OnMissing on_missing_;
  std::size_t number_ = 0;
  bool named_ = false;
  std::vector<ColumnSchema> columns_;
  std::optional<TableBuilder> builder_;
  std::vector<TextCell> cells_;
};

}  // namespace

CodedTable read_arff(std::string_view text, const std::string& origin, OnMissing on_missing) {
  text = check_text(text, origin);
  ArffReader reader(origin, on_missing);
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    reader.read(number, line);
  }
  return std::move(reader).finish();
}

}  // namespace earshot
