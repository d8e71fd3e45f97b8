#include "earshot/data/tables/feature_hash.hpp"

#include <set>
#include <string>

#include <gmock/gmock.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

// The verification values published with the algorithm's test suite.
TEST(FeatureHash, MurmurHasItsPublishedValues) {
  EXPECT_EQ(murmur3_32("", 0), 0u);
  EXPECT_EQ(murmur3_32("", 1), 0x514e28b7u);
  EXPECT_EQ(murmur3_32("", 0xffffffffu), 0x81f16f39u);
  EXPECT_EQ(murmur3_32(std::string(4, '\0'), 0), 0x2362f9deu);
  EXPECT_EQ(murmur3_32("\xff\xff\xff\xff", 0), 0x76293b50u);
  EXPECT_EQ(murmur3_32("!Ce\x87", 0), 0xf55b516bu);
  EXPECT_EQ(murmur3_32("!Ce", 0), 0x7e4a8634u);
  EXPECT_EQ(murmur3_32("!C", 0), 0xa0f7b07au);
  EXPECT_EQ(murmur3_32("!", 0), 0x72661cf4u);
  EXPECT_EQ(murmur3_32("hello", 0), 613153351u);
}

// Red, Green and Blue as Ski 2026 hashes them: two collide at width 2, none at width 3.
TEST(FeatureHash, TokensOfThePaper) {
  EXPECT_EQ(static_cast<std::int32_t>(murmur3_32("Red")), 1847234945);
  EXPECT_EQ(static_cast<std::int32_t>(murmur3_32("Green")), 2090560987);
  EXPECT_EQ(static_cast<std::int32_t>(murmur3_32("Blue")), -493806918);
  const auto position = [](const char* token, std::size_t width) {
    return hash_token(token, width, true).position;
  };
  EXPECT_EQ(position("Red", 2), 1u);
  EXPECT_EQ(position("Green", 2), 1u);
  EXPECT_EQ(position("Blue", 2), 0u);
  EXPECT_EQ(position("Red", 3), 2u);
  EXPECT_EQ(position("Green", 3), 1u);
  EXPECT_EQ(position("Blue", 3), 0u);
  EXPECT_EQ(hash_token("Red", 2, true).sign, 1);
  EXPECT_EQ(hash_token("Blue", 2, true).sign, -1);
  EXPECT_EQ(hash_token("Blue", 2, false).sign, 1);
}

TEST(FeatureHash, EveryPositionLiesWithinTheWidth) {
  for (const std::size_t width : {1, 2, 7, 1000}) {
    std::set<std::size_t> seen;
    for (int i = 0; i < 20000; ++i) seen.insert(hash_token(std::to_string(i), width, true).position);
    EXPECT_EQ(*seen.rbegin(), width - 1);
    EXPECT_EQ(seen.size(), width);
  }
  EXPECT_THROW(hash_token("x", 0, true), Error);
}

}  // namespace
}  // namespace earshot
