#include "earshot/data/tables/category_encoding.hpp"

#include <cmath>
#include <numeric>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const std::vector<std::string> kColours{"Red", "Green", "Blue"};

std::vector<CodeWord> words_of(CategoryEncoding encoding,
                               const std::vector<std::string>& categories = kColours,
                               std::uint64_t seed = 0) {
  return code_words(categories, {.encoding = encoding, .seed = seed}, 0);
}

std::vector<std::string> numbered(std::size_t count) {
  std::vector<std::string> categories;
  for (std::size_t i = 0; i < count; ++i) categories.push_back(fmt::format("category {}", i));
  return categories;
}

std::vector<std::size_t> in_order(std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

// The examples of Ski 2026.
TEST(CategoryEncoding, ColoursOfThePaper) {
  EXPECT_THAT(words_of(CategoryEncoding::kOneHot),
              ElementsAre(ElementsAre(1, 0, 0), ElementsAre(0, 1, 0), ElementsAre(0, 0, 1)));
  EXPECT_THAT(words_of(CategoryEncoding::kBinary),
              ElementsAre(ElementsAre(0, 0), ElementsAre(0, 1), ElementsAre(1, 0)));
  const CategoryOptions hashing{
      .encoding = CategoryEncoding::kHashing, .seed = 0, .hash_width = 2, .alternate_sign = false};
  EXPECT_THAT(code_words(kColours, hashing, 0),
              ElementsAre(ElementsAre(0, 1), ElementsAre(0, 1), ElementsAre(1, 0)));
  const CategoryOptions wider{
      .encoding = CategoryEncoding::kHashing, .seed = 0, .hash_width = 3, .alternate_sign = true};
  EXPECT_THAT(code_words(kColours, wider, 0),
              ElementsAre(ElementsAre(0, 0, 1), ElementsAre(0, 1, 0), ElementsAre(-1, 0, 0)));
}

// ceil(log2 K), counted by doubling.
TEST(CategoryEncoding, BitsSuffice) {
  for (std::size_t count = 1; count <= 1030; ++count) {
    std::size_t bits = 0;
    for (std::size_t reach = 1; reach < count; reach *= 2) ++bits;
    EXPECT_EQ(bits_for(count), std::max<std::size_t>(bits, 1)) << count;
  }
}

TEST(CategoryEncoding, BinaryWordsAreTheIndexMostSignificantBitFirst) {
  const auto words = words_of(CategoryEncoding::kBinary, numbered(41));
  for (std::size_t i = 0; i < words.size(); ++i) {
    double index = 0;
    for (const double bit : words[i]) index = 2 * index + bit;
    EXPECT_EQ(index, static_cast<double>(i));
    EXPECT_EQ(words[i].size(), 6u);
  }
}

TEST(CategoryEncoding, RandomWordsAreDistinctBitsAndReproducible) {
  for (const std::size_t count : {1, 2, 3, 16, 41, 1000}) {
    const auto words = words_of(CategoryEncoding::kRandomBinary, numbered(count), 7);
    EXPECT_EQ(std::set(words.begin(), words.end()).size(), count);
    for (const CodeWord& word : words) {
      EXPECT_EQ(word.size(), bits_for(count));
      for (const double bit : word) EXPECT_TRUE(bit == 0 || bit == 1);
    }
    EXPECT_EQ(words, words_of(CategoryEncoding::kRandomBinary, numbered(count), 7));
  }
  EXPECT_NE(words_of(CategoryEncoding::kRandomBinary, numbered(41), 7),
            words_of(CategoryEncoding::kRandomBinary, numbered(41), 8));
  const CategoryOptions options{.encoding = CategoryEncoding::kRandomBinary, .seed = 7};
  EXPECT_NE(code_words(numbered(41), options, 0), code_words(numbered(41), options, 1));
}

// Three of the four codes of two bits in random order: 24 orders, each expected 1000 times of 24000. A
// chi-square of 23 degrees of freedom exceeds 77 with probability below 1e-7.
TEST(CategoryEncoding, RandomWordsAreUniform) {
  std::map<std::vector<CodeWord>, int> seen;
  for (std::uint64_t seed = 0; seed < 24000; ++seed)
    ++seen[words_of(CategoryEncoding::kRandomBinary, kColours, seed)];
  EXPECT_EQ(seen.size(), 24u);
  double chi_square = 0;
  for (const auto& [words, count] : seen) chi_square += std::pow(count - 1000.0, 2) / 1000;
  EXPECT_LT(chi_square, 77);
}

TEST(CategoryEncoding, TheNearestWordIsFoundAsByBruteForce) {
  Stream stream({.seed = 3});
  const auto words = words_of(CategoryEncoding::kRandomBinary, numbered(11), 1);
  const auto order = in_order(words.size());
  for (int trial = 0; trial < 2000; ++trial) {
    CodeWord guess(words.front().size());
    for (double& value : guess) value = stream.normal();
    std::vector<double> distances;
    for (const CodeWord& word : words) {
      double sum = 0;
      for (std::size_t i = 0; i < word.size(); ++i) sum += std::pow(guess[i] - word[i], 2);
      distances.push_back(std::sqrt(sum));
    }
    const auto nearest = std::ranges::min_element(distances) - distances.begin();
    EXPECT_EQ(nearest_word(guess, words, order), static_cast<std::size_t>(nearest));
  }
}

TEST(CategoryEncoding, OfEquallyNearWordsTheFirstInOrderWins) {
  const CategoryOptions hashing{
      .encoding = CategoryEncoding::kHashing, .seed = 0, .hash_width = 2, .alternate_sign = false};
  const auto words = code_words(kColours, hashing, 0);
  EXPECT_EQ(nearest_word(words[0], words, std::vector<std::size_t>{0, 1, 2}), 0u);
  EXPECT_EQ(nearest_word(words[0], words, std::vector<std::size_t>{1, 2, 0}), 1u);
  EXPECT_EQ(nearest_word(words[2], words, std::vector<std::size_t>{1, 2, 0}), 2u);
}

TEST(CategoryEncoding, NamesAreReadBack) {
  for (const auto encoding : {CategoryEncoding::kOneHot, CategoryEncoding::kBinary,
                              CategoryEncoding::kRandomBinary, CategoryEncoding::kHashing})
    EXPECT_EQ(parse_category_encoding(to_string(encoding)), encoding);
  EXPECT_THAT([] { parse_category_encoding("onehot"); },
              ThrowsMessage<Error>(HasSubstr("did you mean \"one_hot\"?")));
  EXPECT_THROW(code_words({}, {}, 0), Error);
}

}  // namespace
}  // namespace earshot
