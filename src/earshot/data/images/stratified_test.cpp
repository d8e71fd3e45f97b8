#include "earshot/data/images/stratified.hpp"

#include <algorithm>
#include <numeric>

#include <gmock/gmock.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr StreamName kName{.seed = 4, .purpose = Purpose::kTest};

std::vector<std::uint8_t> labels_of(const std::vector<std::size_t>& counts) {
  std::vector<std::uint8_t> labels;
  for (std::size_t c = 0; c < counts.size(); ++c)
    labels.insert(labels.end(), counts[c], static_cast<std::uint8_t>(c));
  return labels;
}

std::vector<std::size_t> counts_of(const std::vector<std::uint8_t>& labels,
                                   const std::vector<std::size_t>& chosen, std::size_t classes) {
  std::vector<std::size_t> counts(classes, 0);
  for (const std::size_t i : chosen) ++counts[labels[i]];
  return counts;
}

// The grades of APTOS 2019; shares by hand: 360.3, 73.9, 199.4, 38.5, 58.9.
TEST(Stratified, SharesAreRoundedByLargestRemainders) {
  const auto labels = labels_of({1805, 370, 999, 193, 295});
  EXPECT_THAT(counts_of(labels, stratified_sample(labels, 731, kName), 5), ElementsAre(360, 74, 199, 39, 59));
  const auto even = labels_of({3, 3, 3});
  EXPECT_THAT(counts_of(even, stratified_sample(even, 4, kName), 3), ElementsAre(2, 1, 1));
}

TEST(Stratified, EveryCountIsMetWithDistinctIndicesInOrder) {
  const auto labels = labels_of({5, 0, 1, 9});
  for (std::size_t count = 0; count <= labels.size(); ++count) {
    const auto chosen = stratified_sample(labels, count, kName);
    EXPECT_EQ(chosen.size(), count);
    EXPECT_TRUE(std::ranges::is_sorted(chosen));
    EXPECT_EQ(std::ranges::adjacent_find(chosen), chosen.end());
    const auto rest = complement(chosen, labels.size());
    EXPECT_EQ(rest.size() + count, labels.size());
    for (const std::size_t i : rest) EXPECT_FALSE(std::ranges::binary_search(chosen, i));
  }
  EXPECT_THAT([&] { stratified_sample(labels, 16, kName); }, ThrowsMessage<Error>(HasSubstr("16 of 15")));
}

TEST(Stratified, TheNameDecidesWhich) {
  const auto labels = labels_of({100, 100});
  const auto chosen = stratified_sample(labels, 50, kName);
  EXPECT_EQ(chosen, stratified_sample(labels, 50, kName));
  StreamName other = kName;
  other.seed = 5;
  EXPECT_NE(chosen, stratified_sample(labels, 50, other));
  // The two classes are drawn independently, not at the same positions.
  std::vector<std::size_t> first(chosen.begin(), chosen.begin() + 25);
  std::vector<std::size_t> second(chosen.begin() + 25, chosen.end());
  for (std::size_t& i : second) i -= 100;
  EXPECT_NE(first, second);
}

}  // namespace
}  // namespace earshot
