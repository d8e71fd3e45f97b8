#include "earshot/core/schema.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/test_settings.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Schema one(Parameter parameter) {
  return {"graph", "g", "", "", {std::move(parameter)}};
}

/// The problems of giving the schema's only parameter `k` this value.
std::vector<std::string> problems_with(const Parameter& parameter, const Json& value) {
  std::vector<Problem> problems;
  validate(
      one(parameter), {{"k", value}}, [](std::string_view key) { return "f:1: " + std::string(key); },
      problems);
  std::vector<std::string> lines;
  for (const Problem& problem : problems) lines.push_back(to_line(problem));
  return lines;
}

struct Case {
  Parameter parameter;
  std::vector<Json> good;
  std::vector<Json> bad;
};

TEST(Schema, EachTypeTakesItsOwnValuesOnly) {
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<Case> cases{
      {boolean_parameter("k", true, ""), {true, false}, {0, 1, "true", nullptr, Json::array()}},
      {integer_parameter("k", 3, -2, 10, ""),
       {-2, 0, 10},
       {-3, 11, 1.0, 2.5, "3", true, nullptr, Json::array({3})}},
      {real_parameter("k", 0.5, 0, 1, ""),
       {0, 1, 0.25, 1.0},
       {-1e-9, 1.01, 2, std::nan(""), inf, -inf, "0.5", true}},
      {above_minimum(real_parameter("k", 0.5, 0, 1, "")), {1e-300, 1}, {0, 0.0, -1}},
      {real_parameter("k", 0.5, -inf, inf, ""), {-1e300, 5}, {inf, std::nan("")}},
      {text_parameter("k", "a", ""), {"", "word"}, {1, true, nullptr, Json::array()}},
      {choice_parameter("k", "a", {"a", "b"}, ""), {"a", "b"}, {"c", "", 1, nullptr}},
      {texts_parameter("k", std::nullopt, ""),
       {Json::array(), Json::array({"a", "b"}), Json::array({1, "b"})},
       {"a", 1, Json::array({1.5}), Json::array({true}), Json::array({Json::array({"a"})}), Json::object()}},
  };
  for (const Case& c : cases) {
    for (const Json& value : c.good)
      EXPECT_THAT(problems_with(c.parameter, value), ElementsAre())
          << type_description(c.parameter) << " " << value;
    for (const Json& value : c.bad)
      EXPECT_THAT(problems_with(c.parameter, value), ElementsAre(HasSubstr("f:1: k: ")))
          << type_description(c.parameter) << " " << value;
  }
}

TEST(Schema, MessagesSayWhatIsAllowed) {
  EXPECT_THAT(problems_with(integer_parameter("k", 3, 1, 10, ""), 99),
              ElementsAre("f:1: k: 99 is not valid; allowed: integer from 1..10"));
  EXPECT_THAT(problems_with(choice_parameter("k", "ring", {"ring", "star"}, ""), "rng"),
              ElementsAre("f:1: k: \"rng\" is not valid; did you mean \"ring\"? allowed: ring, star"));
}

TEST(Schema, UnknownAndMissingKeysAreAllReported) {
  const Schema schema{
      "graph",
      "g",
      "",
      "",
      {integer_parameter("nodes", std::nullopt, 1, 9, "how many"), real_parameter("p", 0.5, 0, 1, "")}};
  std::vector<Problem> problems;
  validate(
      schema, {{"node", 3}, {"q", 1}, {"p", 7}}, [](std::string_view key) { return std::string(key); },
      problems);
  std::vector<std::string> lines;
  for (const Problem& problem : problems) lines.push_back(to_line(problem));
  EXPECT_THAT(lines, ::testing::UnorderedElementsAre(
                         HasSubstr("did you mean \"nodes\""), HasSubstr("no parameter \"q\""),
                         HasSubstr("needs \"nodes\""), HasSubstr("p: 7 is not valid")));
}

TEST(Schema, ValidSettingsRefuseWithEveryProblemAtOnce) {
  const Schema schema{
      "graph",
      "ring",
      "",
      "",
      {integer_parameter("nodes", std::nullopt, 3, 10, ""), integer_parameter("seed", 1, 0, 10, "")}};
  EXPECT_EQ(valid_settings(schema, {{"nodes", 5}}, "data.").values(), (Json{{"nodes", 5}, {"seed", 1}}));
  try {
    valid_settings(schema, {{"nodes", 2}, {"seed", 11}}, "data.");
    FAIL() << "both values are out of range";
  } catch (const PlanError& error) {
    ASSERT_EQ(error.problems().size(), 2u);
    EXPECT_EQ(error.problems()[0].where, "data.nodes");
    EXPECT_EQ(error.problems()[1].where, "data.seed");
  }
}

TEST(Schema, DefaultsAreFilledAndTypesFixed) {
  const Schema schema{
      "graph",
      "g",
      "",
      "",
      {real_parameter("p", 0.5, 0, 1, ""), real_parameter("q", std::nullopt, 0, 9, ""),
       boolean_parameter("b", true, ""), texts_parameter("names", std::vector<std::string>{"x"}, ""),
       optional(text_parameter("path", std::nullopt, "")), integer_parameter("n", 4, 0, 9, "")}};
  const Settings settings = testing::valid_settings(schema, {{"q", 2}, {"names", {3, "a"}}});
  EXPECT_EQ(settings.real("p"), 0.5);
  EXPECT_TRUE(settings.values().at("q").is_number_float()) << "2 and 2.0 must hash alike";
  EXPECT_EQ(settings.real("q"), 2.0);
  EXPECT_TRUE(settings.boolean("b"));
  EXPECT_THAT(settings.texts("names"), ElementsAre("3", "a"));
  EXPECT_FALSE(settings.has("path"));
  EXPECT_EQ(settings.size("n"), 4U);
  EXPECT_THROW(settings.text("path"), Error);
}

TEST(Schema, KeysComeInTheSchemasOrder) {
  const Schema schema{
      "graph", "g", "", "", {integer_parameter("a", 1, 0, 9, ""), integer_parameter("b", 2, 0, 9, "")}};
  EXPECT_EQ(testing::valid_settings(schema, {{"b", 5}, {"a", 6}}).values().dump(), R"({"a":6,"b":5})");
}

TEST(Schema, DescribesItself) {
  const Schema schema{"graph",
                      "ring",
                      "a cycle",
                      "Euler 1736",
                      {integer_parameter("nodes", std::nullopt, 2, 9, "how many"),
                       optional(text_parameter("path", std::nullopt, "a file"))}};
  const Json json = describe(schema);
  EXPECT_EQ(json["role"], "graph");
  EXPECT_EQ(json["reference"], "Euler 1736");
  EXPECT_EQ(json["parameters"][0]["type"], "integer from 2..9");
  EXPECT_EQ(json["parameters"][0]["required"], true);
  EXPECT_EQ(json["parameters"][1]["required"], false);
}

}  // namespace
}  // namespace earshot
