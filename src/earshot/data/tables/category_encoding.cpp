#include "earshot/data/tables/category_encoding.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"
#include "earshot/core/text.hpp"
#include "earshot/data/tables/feature_hash.hpp"

namespace earshot {
namespace {

constexpr std::array<std::pair<CategoryEncoding, std::string_view>, 4> kNames{
    {{CategoryEncoding::kOneHot, "one_hot"},
     {CategoryEncoding::kBinary, "binary"},
     {CategoryEncoding::kRandomBinary, "random_binary"},
     {CategoryEncoding::kHashing, "hashing"}}};

// 2^24 codes to draw from is far beyond any column; more would only waste memory.
constexpr std::size_t kMostCategories = std::size_t{1} << 24;

CodeWord bits_of(std::size_t index, std::size_t width) {
  CodeWord word(width);
  for (std::size_t bit = 0; bit < width; ++bit)
    word[bit] = static_cast<double>(index >> (width - 1 - bit) & 1U);
  return word;
}

CodeWord unit(std::size_t position, double value, std::size_t width) {
  CodeWord word(width, 0.0);
  word[position] = value;
  return word;
}

/// One index per category, all below 2^width.
std::vector<std::size_t> random_codes(std::size_t count, std::size_t width, std::uint64_t seed,
                                      std::uint64_t column) {
  Stream stream({.seed = seed, .purpose = Purpose::kEncoding, .node = column});
  return stream.sample_without_replacement(count, std::size_t{1} << width);
}

/// Exact below the limit; a sum that has reached it is not carried on.
double squared_distance(std::span<const double> a, std::span<const double> b, double limit) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size() && sum < limit; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

}  // namespace

std::string_view to_string(CategoryEncoding encoding) {
  return std::ranges::find(kNames, encoding, &decltype(kNames)::value_type::first)->second;
}

CategoryEncoding parse_category_encoding(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& [encoding, known] : kNames) {
    if (known == name) return encoding;
    names.emplace_back(known);
  }
  fail(Fault::kConfig, fmt::format("no encoding \"{}\"; {}", name, suggest(name, names)));
}

std::size_t bits_for(std::size_t count) {
  return std::max<std::size_t>(1, count < 2 ? 0 : static_cast<std::size_t>(std::bit_width(count - 1)));
}

std::vector<CodeWord> code_words(std::span<const std::string> categories, const CategoryOptions& options,
                                 std::uint64_t column) {
  const std::size_t count = categories.size();
  if (count == 0 || count > kMostCategories)
    fail(Fault::kConfig, fmt::format("{} categories to encode, allowed: 1 to {}", count, kMostCategories));
  const std::size_t bits = bits_for(count);
  const std::size_t quarter = std::max<std::size_t>(2, (count + 3) / 4);
  const std::size_t hash_width = options.hash_width > 0 ? options.hash_width : quarter;
  std::vector<std::size_t> random;
  if (options.encoding == CategoryEncoding::kRandomBinary)
    random = random_codes(count, bits, options.seed, column);
  std::vector<CodeWord> words;
  words.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    switch (options.encoding) {
      case CategoryEncoding::kOneHot:
        words.push_back(unit(i, 1, count));
        break;
      case CategoryEncoding::kBinary:
        words.push_back(bits_of(i, bits));
        break;
      case CategoryEncoding::kRandomBinary:
        words.push_back(bits_of(random[i], bits));
        break;
      case CategoryEncoding::kHashing: {
        const HashedToken token = hash_token(categories[i], hash_width, options.alternate_sign);
        words.push_back(unit(token.position, token.sign, hash_width));
        break;
      }
    }
  }
  return words;
}

std::size_t nearest_word(std::span<const double> values, std::span<const CodeWord> words,
                         std::span<const std::size_t> order) {
  double least = std::numeric_limits<double>::infinity();
  std::size_t nearest = order.front();
  for (const std::size_t i : order) {
    const double distance = squared_distance(values, words[i], least);
    if (distance < least) {
      least = distance;
      nearest = i;
    }
  }
  return nearest;
}

}  // namespace earshot
