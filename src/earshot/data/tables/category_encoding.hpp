// Categories as numbers: one code word per category, and the way back to the nearest one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace earshot {

enum class CategoryEncoding {
  kOneHot,        // one position per category
  kBinary,        // the index in ceil(log2 K) bits, most significant first
  kRandomBinary,  // as many bits, but distinct codes drawn at random
  kHashing        // a signed unit where a hash of the category's text says; categories may collide
};
std::string_view to_string(CategoryEncoding encoding);
/// Fails with the nearest spelling.
CategoryEncoding parse_category_encoding(std::string_view name);

struct CategoryOptions {
  CategoryEncoding encoding = CategoryEncoding::kOneHot;
  std::uint64_t seed = 0;       // of kRandomBinary: equal seeds give equal codes
  std::size_t hash_width = 0;   // of kHashing; 0: a quarter of a column's categories, at least two
  bool alternate_sign = false;  // of kHashing
};

using CodeWord = std::vector<double>;

/// The code words of the categories, in their order, all of one width. `column` tells columns with the same
/// seed apart.
std::vector<CodeWord> code_words(std::span<const std::string> categories, const CategoryOptions& options,
                                 std::uint64_t column);

/// The position, among `order`, of the code word nearest to `values` in L2; of equally near ones, the first
/// in `order`, which lists positions of `words`.
std::size_t nearest_word(std::span<const double> values, std::span<const CodeWord> words,
                         std::span<const std::size_t> order);

/// How many bits tell `count` things apart; at least one, so that every column has a place.
std::size_t bits_for(std::size_t count);

}  // namespace earshot
