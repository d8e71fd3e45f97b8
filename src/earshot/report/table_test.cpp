#include "earshot/report/table.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace earshot {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(DisplayWidth, CountsColumnsNotBytes) {
  EXPECT_EQ(display_width("Medici"), 6u);
  EXPECT_EQ(display_width("Émilie ε ≥"), 10u);
  EXPECT_EQ(display_width("e\u0301"), 1u) << "a combining accent takes no column";
  EXPECT_EQ(display_width("東京"), 4u);
  EXPECT_EQ(display_width("\xff\xc3"), 2u) << "broken bytes take one each";
}

TEST(Printable, SendsNoControlToTheTerminal) {
  EXPECT_EQ(printable("a\x1b[31mb\x07"), "a\uFFFD[31mb\uFFFD");
  EXPECT_EQ(printable("a\nb\tc"), "a b c");
  EXPECT_EQ(printable("\xc2\x9b"
                      "1m"),
            "\uFFFD1m")
      << "the one-character form of ESC [";
  EXPECT_EQ(printable("a\u202Eb"), "a\uFFFDb") << "right-to-left override";
  EXPECT_EQ(printable("ok\xff"), "ok\uFFFD");
}

TEST(Shorten, KeepsWholeCharacters) {
  EXPECT_EQ(shorten("Émilie", 6), "Émilie");
  EXPECT_EQ(shorten("Émilie", 3), "Ém…");
  EXPECT_EQ(shorten("東京都", 4), "東…");
  EXPECT_EQ(shorten("abc", 0), "");
}

TEST(Wrap, StaysInsideTheWidth) {
  const std::string text =
      wrap("the quick brown fox jumps over the lazy dog, averyveryveryverylongwordindeed", 20, 2);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 22u) << line;
  EXPECT_THAT(text, HasSubstr("\n  "));
}

TextTable example() {
  TextTable table;
  table.add_column("attacker", TextTable::Kind::kWords);
  table.add_column("success", TextTable::Kind::kNumbers, "no privacy");
  table.add_column("PSNR", TextTable::Kind::kNumbers, "no privacy");
  table.add_row({{"Émilie du Châtelet"}, {"93 %", Paint::kRed}, {"31.2"}});
  table.add_row({{"東京"}, {"<1 %"}, {"–"}});
  return table;
}

TEST(TextTable, LinesUpWhateverTheAlphabet) {
  EXPECT_EQ(example().render(80, false),
            "                       no privacy\n"
            "attacker            success  PSNR\n"
            "Émilie du Châtelet     93 %  31.2\n"
            "東京                   <1 %     –\n");
}

TEST(TextTable, ShortensWordsThenLeavesColumnsOut) {
  EXPECT_THAT(example().render(26, false), HasSubstr("Émilie du …"));
  EXPECT_THAT(example().render(18, false), HasSubstr("(1 more column on a wider terminal)"));
}

TEST(TextTable, ColoursOnlyWhenAsked) {
  EXPECT_THAT(example().render(80, false), Not(HasSubstr("\x1b")));
  EXPECT_THAT(example().render(80, true), HasSubstr("\x1b[1;31m"));
}

}  // namespace
}  // namespace earshot
