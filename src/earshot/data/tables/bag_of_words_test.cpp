#include "earshot/data/tables/bag_of_words.hpp"

#include <algorithm>
#include <limits>

#include <gmock/gmock.h>

#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

using Words = std::vector<std::string>;

// The examples of Ski 2026.
TEST(BagOfWords, CountsTheColoursOfThePaper) {
  const BagOfWords bag({"Red", "Green", "Blue"});
  EXPECT_THAT(bag.encode(Words{"Red", "Blue", "Red"}), ElementsAre(2, 0, 1));
  EXPECT_THAT(bag.encode(Words{"Green", "Blue"}), ElementsAre(0, 1, 1));
  EXPECT_THAT(bag.encode(Words{"Blue", "Blue"}), ElementsAre(0, 0, 2));
  EXPECT_THAT(bag.encode(Words{}), ElementsAre(0, 0, 0));
  EXPECT_THAT(bag.decode(std::vector<double>{1.6, 0.4, -3}), ElementsAre("Red", "Red"));
}

TEST(BagOfWords, DecodingGivesTheSameBag) {
  const BagOfWords bag({"e", "a", "d", "b", "c"});
  Stream stream({.seed = 4});
  for (int trial = 0; trial < 500; ++trial) {
    Words words;
    for (std::uint64_t i = stream.below(12); i > 0; --i) words.push_back(bag.vocabulary()[stream.below(5)]);
    Words back = bag.decode(bag.encode(words));
    std::ranges::sort(words);
    std::ranges::sort(back);
    EXPECT_EQ(back, words);
  }
}

TEST(BagOfWords, RefusesWhatItCannotHold) {
  EXPECT_THAT([] { BagOfWords({}); }, ThrowsMessage<Error>(HasSubstr("needs a vocabulary")));
  EXPECT_THAT([] { BagOfWords({"a", "b", "a"}); }, ThrowsMessage<Error>(HasSubstr("lists \"a\" twice")));
  const BagOfWords bag({"a", "b"});
  EXPECT_THAT([&] { bag.encode(Words{"c"}); },
              ThrowsMessage<Error>(HasSubstr("\"c\" is not in the vocabulary")));
  EXPECT_THROW(bag.decode(std::vector<double>{1}), Error);
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e9})
    EXPECT_THROW(bag.decode(std::vector<double>{0, bad}), Error) << bad;
}

}  // namespace
}  // namespace earshot
