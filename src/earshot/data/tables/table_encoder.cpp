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

/// Positions from the most to the least frequent; equally frequent ones in their order.
std::vector<std::size_t> order_by_frequency(const ColumnBlock& block, const NumericTable& features,
                                            std::size_t column, std::span<const std::size_t> rows) {
  std::vector<std::size_t> counts(block.words.size());
  for (const std::size_t row : rows) ++counts[category_of(block, features.row(row)[column])];
  std::vector<std::size_t> order(counts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return counts[i]; });
  return order;
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
  const double value = number * block.scale.scale + block.scale.shift;
  const int decimals = block.statistics.decimals;
  return decimals == kManyDecimals ? value : round_to_decimals(value, decimals);
}

Json describe_block(const ColumnBlock& block) {
  Json one{{"column", block.name}, {"first", block.first}, {"width", block.width}};
  if (block.categorical()) {
    one["categories"] = block.categories;
    one["codes"] = block.words;
    one["collisions"] = block.collisions();
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
      block.by_frequency = order_by_frequency(block, features, column, rows);
      block.width = block.words.front().size();
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
      std::ranges::copy(block.words[category_of(block, row[column])],
                        out.begin() + static_cast<std::ptrdiff_t>(block.first));
    } else if (std::isfinite(row[column])) {
      out[block.first] = (row[column] - block.scale.shift) / block.scale.scale;
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
    row.push_back(block.categorical()
                      ? static_cast<double>(nearest_word(part, block.words, block.by_frequency))
                      : decode_number(block, part.front()));
  }
  return row;
}

Json TableEncoder::describe() const {
  Json result{{"numbers", to_string(options_.numbers)},
              {"categories", to_string(options_.categories.encoding)},
              {"width", width_},
              {"blocks", Json::array()}};
  if (options_.categories.encoding == CategoryEncoding::kRandomBinary)
    result["seed"] = options_.categories.seed;
  if (options_.categories.encoding == CategoryEncoding::kHashing) {
    result["hash_width"] = options_.categories.hash_width;
    result["alternate_sign"] = options_.categories.alternate_sign;
  }
  for (const ColumnBlock& block : blocks_) result["blocks"].push_back(describe_block(block));
  return result;
}

}  // namespace earshot
