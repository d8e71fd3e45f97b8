#include "earshot/experiment/measure.hpp"

#include <gtest/gtest.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

TEST(Measure, EveryFormSurvivesItsOwnText) {
  for (const char* text : {"mean(psnr)", "std(psnr)", "median(psnr)", "min(psnr)", "max(psnr)", "count()",
                           "spearman(degree, share)", "share_above(psnr, 10)", "share_above(psnr, -2.5)",
                           "share_mean_above(psnr, graph.nodes, 0.1)", "z(psnr)", "mean(accuracy - random)",
                           "share_mean_above(accuracy - random, round, 0)"}) {
    EXPECT_EQ(to_text(parse_measure(text)), text);
  }
}

TEST(Measure, BlanksDoNotMatter) {
  EXPECT_EQ(to_text(parse_measure("  spearman ( a ,b )  ")), "spearman(a, b)");
  EXPECT_EQ(to_text(parse_measure("count( )")), "count()");
}

TEST(Measure, ReadsColumnsAndThreshold) {
  const Measure measure = parse_measure("share_mean_above(psnr, victim, 1e1)");
  EXPECT_EQ(measure.kind, MeasureKind::kShareMeanAbove);
  EXPECT_EQ(measure.terms, (std::vector<std::string>{"psnr", "victim"}));
  EXPECT_EQ(measure.threshold, 10);
}

/// Names may hold a hyphen, so a difference needs blanks around its sign.
TEST(Measure, DifferencesOfColumns) {
  EXPECT_EQ(parse_measure("mean( a  -  b )").terms, (std::vector<std::string>{"a - b"}));
  EXPECT_EQ(columns_of("a - b"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(columns_of("a-b"), (std::vector<std::string>{"a-b"}));
}

TEST(Measure, RefusesEverythingElse) {
  for (const char* text : {"",
                           " ",
                           "(",
                           ")",
                           "()",
                           "mean",
                           "mean(",
                           "mean)",
                           "mean()",
                           "mean(a,)",
                           "mean(,a)",
                           "mean(a) b",
                           "mean(a))",
                           "mean((a)",
                           "mean(a b)",
                           "mean(a, b)",
                           "count(a)",
                           "count(,)",
                           "spearman(a)",
                           "spearman(a, b, c)",
                           "share_above(a)",
                           "share_above(a, b)",
                           "share_above(a, nan)",
                           "share_above(a, inf)",
                           "share_above(a, 1e999)",
                           "share_above(a, 10x)",
                           "share_mean_above(a, 10)",
                           "mean(a - )",
                           "mean( - a)",
                           "mean(a - b - c)",
                           "Mean(a)",
                           "mode(a)"}) {
    try {
      parse_measure(text);
      ADD_FAILURE() << "accepted: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::kConfig) << text;
      EXPECT_NE(std::string(error.what()), "") << text;
    }
  }
}

TEST(Measure, NamesTheNearestSpelling) {
  try {
    parse_measure("spearmann(a, b)");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean \"spearman\""), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace earshot
