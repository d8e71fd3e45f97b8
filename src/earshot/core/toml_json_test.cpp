#include "earshot/core/toml_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace earshot {
namespace {

Json parse(std::string_view text) {
  return toml_to_json(text,
                      {[](const std::string&, unsigned) {}, [](const std::string&, const std::string&) {}});
}

unsigned refused_line(std::string_view text) {
  try {
    parse(text);
  } catch (const TomlSyntaxError& error) {
    EXPECT_EQ(error.why.find('\n'), std::string::npos) << error.why;
    return error.line;
  }
  return 0;
}

TEST(TomlJson, KeepsTheOrderOfTheTextAndTellsWhereKeysStand) {
  std::vector<std::string> seen;
  const TomlListener listener{
      [&](const std::string& path, unsigned line) { seen.push_back(path + "@" + std::to_string(line)); },
      [](const std::string&, const std::string&) {}};
  const Json json = toml_to_json("b = 1\na = [2, 3]\n[t]\nx = \"y\"\n[[u]]\nk = true\n", listener);
  EXPECT_EQ(json.dump(), R"({"b":1,"a":[2,3],"t":{"x":"y"},"u":[{"k":true}]})");
  EXPECT_THAT(seen, ::testing::ElementsAre("b@1", "a@2", "t@3", "t.x@4", "u@5", "u[0]@5", "u[0].k@6"));
}

TEST(TomlJson, RefusesWhatTheLibraryTakesForGranted) {
  EXPECT_EQ(refused_line("a = [}"), 1U);
  EXPECT_EQ(refused_line("[`"), 1U);
  EXPECT_EQ(refused_line("a = 1\n\xC3\xA9 = 1\n"), 2U);
  EXPECT_EQ(refused_line("a = \"\"\"\n\xC3\xA9\"\"\"\n"), 1U);
}

TEST(TomlJson, TakesOtherLettersInQuotesAndComments) {
  EXPECT_EQ(parse("a = \"\xC3\xA9\"  # \xC3\xA9\n").at("a"), "\xC3\xA9");
  EXPECT_EQ(parse("a = \"\"\"\nx\ny\"\"\"\n").at("a"), "x\ny");
}

}  // namespace
}  // namespace earshot
