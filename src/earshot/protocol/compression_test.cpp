#include "earshot/protocol/compression.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;

std::vector<double> compressed(const Compression& compression, std::vector<double> numbers) {
  std::vector<double> scratch;
  compress(compression, numbers, scratch);
  return numbers;
}

TEST(Compression, TheSmallestNumbersAreLeftOutAndTheOthersRounded) {
  EXPECT_THAT(compressed({0.5, 0}, {3, -1, 0.5, -4}), ElementsAre(3, 0, 0, -4));
  EXPECT_THAT(compressed({0.5, 1}, {3.4, -1, 0.5, -3.6}), ElementsAre(3, 0, 0, -4));
  EXPECT_THAT(compressed({0, 0.5}, {0.2, 0.3, -0.8}), ElementsAre(0, 0.5, -1));
  EXPECT_THAT(compressed({0.3, 0}, {1, 2, 3}), ElementsAre(1, 2, 3));  // less than one whole number
  EXPECT_THAT(compressed({0.9, 0}, {}), ElementsAre());
}

TEST(Compression, OfEqualNumbersTheFirstAreLeftOut) {
  EXPECT_THAT(compressed({0.5, 0}, {2, -2, 2, 2}), ElementsAre(0, 0, 2, 2));
  EXPECT_THAT(compressed({0.75, 0}, {5, -2, 1, 2}), ElementsAre(5, 0, 0, 0));
}

/// Against sorting all numbers, for shares of every size.
TEST(Compression, PrunesWhatASortWould) {
  Stream stream({7, Purpose::kTest});
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> numbers(1 + stream.below(50));
    for (double& x : numbers) x = std::round(3 * stream.normal());  // many are equal
    const double share = 0.999 * stream.uniform();
    std::vector<std::size_t> order(numbers.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return std::abs(numbers[i]); });
    std::vector<double> expected = numbers;
    for (std::size_t i = 0; i < static_cast<std::size_t>(share * static_cast<double>(numbers.size())); ++i)
      expected[order[i]] = 0;
    EXPECT_EQ(compressed({share, 0}, numbers), expected);
  }
}

TEST(Compression, WhatIsNotFiniteStaysAsItIs) {
  std::vector<double> numbers(100, 1.0);
  for (std::size_t i = 0; i < numbers.size(); i += 3) numbers[i] = i % 2 == 0 ? std::nan("") : INFINITY;
  const auto out = compressed({0.5, 0.3}, numbers);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    EXPECT_TRUE(out[i] == numbers[i] || (std::isnan(out[i]) && std::isnan(numbers[i]))) << i;
}

TEST(Compression, RefusesWhatMakesNoSense) {
  for (const Compression& wrong : {Compression{1, 0}, Compression{-0.1, 0}, Compression{0, -1},
                                   Compression{std::nan(""), 0}, Compression{0, INFINITY}}) {
    EXPECT_THROW(require_valid(wrong), Error);
  }
  EXPECT_NO_THROW(require_valid({0.99, 0.1}));
}

}  // namespace
}  // namespace earshot
