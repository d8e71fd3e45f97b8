#include "earshot/data/tables/table_encoder.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

/// The category a coded value stands for.
std::size_t category_of(const ColumnBlock& block, double value) {
  const bool known =
      value >= 0 && value < static_cast<double>(block.words.size()) && value == std::floor(value);
  if (!known)
    fail(Fault::kData, fmt::format("column \"{}\": {} is no category, allowed: 0 to {}", block.name, value,
                                   block.words.size() - 1));
  return static_cast<std::size_t>(value);
}

/// How many of the rows have each category.
std::vector<std::size_t> count_categories(const ColumnBlock& block, const NumericTable& features,
                                          std::size_t column, std::span<const std::size_t> rows) {
  std::vector<std::size_t> counts(block.words.size());
  for (const std::size_t row : rows) ++counts[category_of(block, features.row(row)[column])];
  return counts;
}

/// Positions from the most to the least frequent; equally frequent ones in their order.
std::vector<std::size_t> order_by_frequency(std::span<const std::size_t> counts) {
  std::vector<std::size_t> order(counts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return counts[i]; });
  return order;
}

/// Mean and deviation of every place of a code over rows of which `counts[i]` have word i.
std::vector<ColumnScale> standard_places(std::span<const CodeWord> words,
                                         std::span<const std::size_t> counts) {
  const auto rows = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
  std::vector<ColumnScale> places;
  for (std::size_t place = 0; place < words.front().size(); ++place) {
    double mean = 0;
    for (std::size_t i = 0; i < words.size(); ++i) mean += static_cast<double>(counts[i]) * words[i][place];
    mean /= rows;
    double squares = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const double distance = words[i][place] - mean;
      squares += static_cast<double>(counts[i]) * distance * distance;
    }
    places.push_back({mean, squares > 0 ? std::sqrt(squares / rows) : 1});
  }
  return places;
}

/// "sex=Male", "sex bit 0", "sex hash 3", or the column's own name for a number.
std::string encoded_name(const ColumnBlock& block, std::size_t i, CategoryEncoding encoding) {
  if (!block.categorical()) return block.name;
  switch (encoding) {
    case CategoryEncoding::kOneHot:
      return fmt::format("{}={}", block.name, block.categories[i]);
    case CategoryEncoding::kBinary:
    case CategoryEncoding::kRandomBinary:
      return fmt::format("{} bit {}", block.name, i);
    case CategoryEncoding::kHashing:
      break;
  }
  return fmt::format("{} hash {}", block.name, i);
}

double decode_number(const ColumnBlock& block, double number) {
  const double value = block.scale.unscaled(number);
  const int decimals = block.statistics.decimals;
  return decimals == kManyDecimals ? value : round_to_decimals(value, decimals);
}

double decode_category(const ColumnBlock& block, std::span<const double> numbers) {
  CodeWord code(numbers.size());
  for (std::size_t i = 0; i < code.size(); ++i) code[i] = block.places[i].unscaled(numbers[i]);
  return static_cast<double>(nearest_word(code, block.words, block.by_frequency));
}

Json describe_places(std::span<const ColumnScale> places) {
  Json shift = Json::array(), scale = Json::array();
  for (const ColumnScale& place : places) {
    shift.push_back(place.shift);
    scale.push_back(place.scale);
  }
  return {{"shift", shift}, {"scale", scale}};
}

Json describe_block(const ColumnBlock& block, CodeScaling codes) {
  Json one{{"column", block.name}, {"first", block.first}, {"width", block.width}};
  if (block.categorical()) {
    one["categories"] = block.categories;
    one["codes"] = block.words;
    one["collisions"] = block.collisions();
    if (codes == CodeScaling::kStandard) one.update(describe_places(block.places));
  } else {
    one["shift"] = block.scale.shift;
    one["scale"] = block.scale.scale;
  }
  return one;
}

void check_width(std::size_t found, std::size_t expected, std::string_view what) {
  if (found != expected) fail(Fault::kConfig, fmt::format("{} {} given, expected {}", found, what, expected));
}

}  // namespace

std::string_view to_string(CodeScaling scaling) {
  return scaling == CodeScaling::kStandard ? "standard" : "none";
}

std::size_t ColumnBlock::collisions() const {
  return words.size() - std::set<CodeWord>(words.begin(), words.end()).size();
}

TableEncoder::TableEncoder(const TabularDataset& dataset, std::span<const std::size_t> rows,
                           const EncoderOptions& options)
    : options_(options) {
  if (rows.empty()) fail(Fault::kData, "an encoder cannot be fitted without rows");
  const NumericTable& features = dataset.features;
  check_width(dataset.categories.size(), features.columns.size(), "lists of categories");
  for (std::size_t column = 0; column < features.columns.size(); ++column) {
    ColumnBlock block;
    block.name = features.columns[column];
    block.first = width_;
    if (dataset.categories[column].empty()) {
      block.statistics = column_statistics(features, column, rows);
      block.scale = column_scale(block.statistics, options.numbers);
    } else {
      block.categories = dataset.categories[column];
      block.words = code_words(block.categories, options.categories, column);
      block.width = block.words.front().size();
      const auto counts = count_categories(block, features, column, rows);
      block.by_frequency = order_by_frequency(counts);
      block.places = options.codes == CodeScaling::kStandard ? standard_places(block.words, counts)
                                                             : std::vector<ColumnScale>(block.width);
    }
    width_ += block.width;
    blocks_.push_back(std::move(block));
  }
}

void TableEncoder::encode(std::span<const double> row, std::span<double> out) const {
  check_width(row.size(), blocks_.size(), "values");
  check_width(out.size(), width_, "places");
  for (std::size_t column = 0; column < blocks_.size(); ++column) {
    const ColumnBlock& block = blocks_[column];
    if (block.categorical()) {
      const CodeWord& word = block.words[category_of(block, row[column])];
      for (std::size_t i = 0; i < word.size(); ++i) out[block.first + i] = block.places[i].scaled(word[i]);
    } else if (std::isfinite(row[column])) {
      out[block.first] = block.scale.scaled(row[column]);
    } else {
      fail(Fault::kData, fmt::format("column \"{}\": {} is no finite number", block.name, row[column]));
    }
  }
}

NumericTable TableEncoder::encode(const NumericTable& features, std::span<const std::size_t> rows) const {
  NumericTable encoded;
  for (const ColumnBlock& block : blocks_) {
    for (std::size_t i = 0; i < block.width; ++i)
      encoded.columns.push_back(encoded_name(block, i, options_.categories.encoding));
  }
  encoded.row_count = rows.size();
  encoded.values.resize(rows.size() * width_);
  for (std::size_t i = 0; i < rows.size(); ++i)
    encode(features.row(rows[i]), std::span(encoded.values).subspan(i * width_, width_));
  return encoded;
}

std::vector<double> TableEncoder::decode(std::span<const double> numbers) const {
  check_width(numbers.size(), width_, "numbers");
  std::vector<double> row;
  for (const ColumnBlock& block : blocks_) {
    const auto part = numbers.subspan(block.first, block.width);
    if (!std::ranges::all_of(part, [](double value) { return std::isfinite(value); }))
      fail(Fault::kNumeric, fmt::format("column \"{}\": a number to decode is not finite", block.name));
    row.push_back(block.categorical() ? decode_category(block, part) : decode_number(block, part.front()));
  }
  return row;
}

Json TableEncoder::describe() const {
  Json result{{"numbers", to_string(options_.numbers)},
              {"categories", to_string(options_.categories.encoding)},
              {"codes", to_string(options_.codes)},
              {"width", width_},
              {"blocks", Json::array()}};
  if (options_.categories.encoding == CategoryEncoding::kRandomBinary)
    result["seed"] = options_.categories.seed;
  if (options_.categories.encoding == CategoryEncoding::kHashing) {
    result["hash_width"] = options_.categories.hash_width;
    result["alternate_sign"] = options_.categories.alternate_sign;
  }
  for (const ColumnBlock& block : blocks_) result["blocks"].push_back(describe_block(block, options_.codes));
  return result;
}

}  // namespace earshot
