#include "earshot/core/text.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "earshot/core/random.hpp"

namespace earshot {
namespace {

const std::vector<std::string> kGraphs{"ring", "star", "line", "grid", "erdos_renyi", "florentine"};

/// The definition, by recursion (optimal string alignment): slow, and not written like the table it checks.
std::size_t slow_distance(std::string_view a, std::string_view b) {
  if (a.empty()) return b.size();
  if (b.empty()) return a.size();
  const auto shorter = [](std::string_view s) { return s.substr(0, s.size() - 1); };
  std::size_t best = std::min(slow_distance(shorter(a), b), slow_distance(a, shorter(b))) + 1;
  best = std::min(best, slow_distance(shorter(a), shorter(b)) + (a.back() == b.back() ? 0 : 1));
  if (a.size() > 1 && b.size() > 1 && a.back() == b[b.size() - 2] && b.back() == a[a.size() - 2])
    best = std::min(best, slow_distance(shorter(shorter(a)), shorter(shorter(b))) + 1);
  return best;
}

TEST(Text, EditDistanceEqualsItsDefinition) {
  Stream stream({1});
  for (int i = 0; i < 200; ++i) {
    std::string words[2];
    for (std::string& word : words) {
      const std::uint64_t length = stream.below(6);
      for (std::uint64_t c = 0; c < length; ++c) word += static_cast<char>('a' + stream.below(3));
    }
    EXPECT_EQ(edit_distance(words[0], words[1]), slow_distance(words[0], words[1]))
        << words[0] << " " << words[1];
    EXPECT_EQ(edit_distance(words[0], words[1]), edit_distance(words[1], words[0]));
  }
}

TEST(Text, NearestSpellingFindsSlipsOfTheHand) {
  EXPECT_EQ(nearest_spelling("rng", kGraphs), "ring");
  EXPECT_EQ(nearest_spelling("rnig", kGraphs), "ring");
  EXPECT_EQ(nearest_spelling("erdos-renyi", kGraphs), "erdos_renyi");
  EXPECT_EQ(nearest_spelling("florentin", kGraphs), "florentine");
  EXPECT_EQ(nearest_spelling("ring", kGraphs), "ring");
}

TEST(Text, NearestSpellingDoesNotGuess) {
  EXPECT_EQ(nearest_spelling("hypercube", kGraphs), std::nullopt);
  EXPECT_EQ(nearest_spelling("", kGraphs), std::nullopt);
  EXPECT_EQ(nearest_spelling("ring", {}), std::nullopt);
  EXPECT_EQ(nearest_spelling(std::string(100000, 'r'), kGraphs), std::nullopt)
      << "and does not take long either";
}

TEST(Text, SuggestAlwaysListsWhatIsAllowed) {
  const std::vector<std::string> two{"ring", "star"};
  EXPECT_EQ(suggest("rimg", two), "did you mean \"ring\"? allowed: ring, star");
  EXPECT_EQ(suggest("xyz", two), "allowed: ring, star");
}

TEST(Text, Join) {
  EXPECT_EQ(join(std::vector<std::string>{"a", "b", "c"}, "--"), "a--b--c");
  EXPECT_EQ(join(std::vector<std::string>{}, ", "), "");
}

}  // namespace
}  // namespace earshot
