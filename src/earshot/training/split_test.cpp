#include "earshot/training/split.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

Stream stream(std::uint64_t seed) {
  return Stream({seed, Purpose::kDataSelection});
}

/// Shahbazi 2026: 30 % of a client's 293 images are 88, of all 2,931 they are 879.
TEST(Split, HoldsOutThePublishedCounts) {
  Stream a = stream(1), b = stream(2), c = stream(3);
  EXPECT_EQ(random_split(all_of(293), 0.3, a).held_out.size(), 88U);
  EXPECT_EQ(random_split(all_of(2931), 0.3, b).train.size(), 2052U);
  EXPECT_EQ(random_split(all_of(10), 0.01, c).held_out.size(), 1U);
  EXPECT_TRUE(random_split(all_of(10), 0, c).held_out.empty());
  EXPECT_THROW(random_split(all_of(10), 1, c), Error);
}

TEST(Split, PartsAreDisjointAndComplete) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Stream random = stream(seed);
    const Split split = random_split(all_of(100), 0.25, random);
    std::vector<std::size_t> together = split.train;
    together.insert(together.end(), split.held_out.begin(), split.held_out.end());
    EXPECT_TRUE(std::ranges::is_sorted(split.train));
    std::ranges::sort(together);
    EXPECT_EQ(together, all_of(100));
  }
}

TEST(Split, FoldsCoverEveryExampleOnce) {
  std::vector<std::size_t> together;
  for (std::size_t fold = 0; fold < 7; ++fold) {
    Stream random = stream(5);
    const Split split = fold_split(all_of(50), fold, 7, random);
    EXPECT_GE(split.held_out.size(), 7U);
    EXPECT_LE(split.held_out.size(), 8U);
    EXPECT_EQ(split.train.size() + split.held_out.size(), 50U);
    together.insert(together.end(), split.held_out.begin(), split.held_out.end());
  }
  std::ranges::sort(together);
  EXPECT_EQ(together, all_of(50));
  Stream random = stream(5);
  EXPECT_THROW(fold_split(all_of(3), 0, 4, random), Error);
  EXPECT_THROW(fold_split(all_of(3), 0, 1, random), Error);
}

}  // namespace
}  // namespace earshot
