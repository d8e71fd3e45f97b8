#include "earshot/report/markdown.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/report/sample.hpp"

namespace earshot {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Markdown, HasHeadingCommandFactsAndTables) {
  const std::string text = render_markdown(sample_document(), {"earshot run line.toml --seed 1", 75.26});
  EXPECT_THAT(text, testing::StartsWith("# A line of four\n"));
  EXPECT_THAT(text, HasSubstr("```text\nearshot run line.toml --seed 1\n```"));
  EXPECT_THAT(text, HasSubstr("seed 1, 1 trial, 75.3 s, earshot 0.1.0."));
  EXPECT_THAT(text,
              HasSubstr("| correlation with degree (Table 1) | 0.94 ± 0.1 | 0.945 | met | 20 graphs |"));
  EXPECT_THAT(text, HasSubstr("| PSNR at distance 28 | ≥ 10 | 9 | **missed** |"));
  EXPECT_THAT(text, HasSubstr("| share | ≤ 0.5 | – | not measured |"));
  EXPECT_THAT(text, HasSubstr("## PSNR by distance\n\n| distance | no noise |\n|---:|---:|\n| 1 | 30 ± 1 |"));
}

TEST(Markdown, LongCurvesAreThinnedAndKeepTheirEnd) {
  Json document = sample_document();
  Json& points = document["curves"][0]["series"][0]["points"];
  points = Json::array();
  for (int i = 0; i < 1000; ++i) points.push_back({{"x", i}, {"mean", i}});
  const std::string text = render_markdown(document, {"c", 1.0});
  EXPECT_THAT(text,
              HasSubstr("| 0 | 0 |\n| 1 | 1 |\n| 2 | 2 |\n| 4 | 4 |\n| 6 | 6 |\n| 9 | 9 |\n| 19 | 19 |\n"));
  EXPECT_THAT(text, HasSubstr("| 499 | 499 |\n| 699 | 699 |\n| 999 | 999 |\n\n16 of 1000 points.\n"));
  points.erase(points.begin() + 30, points.end());
  EXPECT_THAT(render_markdown(document, {"c", 1.0}), HasSubstr("| 17 | 17 |\n| 18 | 18 |"));
}

TEST(Markdown, PointsOfSeveralSeriesAreInTheOrderOfTheirNumbers) {
  Json document = sample_document();
  Json& series = document["curves"][0]["series"];
  Json second = series[0];
  series[0]["points"] = {{{"x", 8}, {"mean", 1}}, {{"x", 16}, {"mean", 2}}};
  second["points"] = {{{"x", 4}, {"mean", 3}}, {{"x", 12}, {"mean", 4}}};
  series.push_back(second);
  EXPECT_THAT(render_markdown(document, {"c", 1.0}),
              HasSubstr("| 4 | – | 3 |\n| 8 | 1 | – |\n| 12 | – | 4 |\n| 16 | 2 | – |"));
}

TEST(Markdown, ComputedNumbersAreShortenedWhereTheyAreX) {
  Json document = sample_document();
  document["curves"][0]["series"][0]["points"] = {{{"x", 15.191621054094867}, {"mean", 1}},
                                                  {{"x", 100000}, {"mean", 2}},
                                                  {{"x", 1708735.7607889175}, {"mean", 3}}};
  EXPECT_THAT(render_markdown(document, {"c", 1.0}),
              HasSubstr("| 15.1916 | 1 |\n| 100000 | 2 |\n| 1.70874e+06 | 3 |"));
}

TEST(Markdown, RoundingIsNoDeviation) {
  Json document = sample_document();
  document["curves"][0]["series"][0]["points"] = {{{"x", 1}, {"mean", 96.1}, {"std", 1.7e-14}},
                                                  {{"x", 2}, {"mean", 0.126}, {"std", 1.2e-5}}};
  EXPECT_THAT(render_markdown(document, {"c", 1.0}), HasSubstr("| 1 | 96.1 ± 0 |\n| 2 | 0.126 ± 1.2e-05 |"));
}

TEST(Markdown, ACurveWithoutATitleIsStillACurve) {
  Json document = sample_document();
  document["curves"][0].erase("title");
  EXPECT_THAT(render_markdown(document, {"c", 1.0}), HasSubstr("## Curve\n"));
}

TEST(Markdown, TextIsNeverMarkup) {
  Json document = sample_document();
  document["experiment"]["title"] = "a | b\n# c <b>";
  document["expectations"][0]["note"] = "x | y";
  const std::string text = render_markdown(document, {"echo ```\n# not a heading", 1.0});
  EXPECT_THAT(text, HasSubstr("# a \\| b \\# c &lt;b>\n"));
  EXPECT_THAT(text, HasSubstr("x \\| y"));
  EXPECT_THAT(text, HasSubstr("````text\n"));
  EXPECT_THAT(text, Not(HasSubstr("\n# not")));
}

TEST(Markdown, WithoutExpectationsSaysSo) {
  Json document = sample_document();
  document.erase("expectations");
  EXPECT_THAT(render_markdown(document, {"c", 150.0}), HasSubstr("No published values"));
  EXPECT_THAT(render_markdown(document, {"c", 150.0}), HasSubstr("2 min 30 s"));
}

}  // namespace
}  // namespace earshot
