#include "earshot/pipeline/theory_trial.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/parallel.hpp"
#include "earshot/pipeline/components.hpp"
#include "earshot/pipeline/pipeline.hpp"
#include "earshot/pipeline/test_tables.hpp"

namespace earshot {
namespace {

using ::earshot::testing::column;

constexpr const char* kPlan = R"(
name = "t"
title = "t"
[protocol]
kind = "gradient_theory"
instances = 300
batches = 20
networks = 20
classes = 4
depth = 3
[mechanism]
kind = "none"
)";

Plan plan_from(const std::string& text) {
  return parse_plan(text, "test.toml", standard_catalogue());
}

TEST(TheoryTrial, FillsEveryTableAndAgreesWhereItShould) {
  const Plan plan = plan_from(kPlan);
  ASSERT_TRUE(preflight(plan, {}).empty());
  const Json tables = Pipeline(plan, {}).run(plan.cells[0], 0)["tables"];
  const auto checks = column(tables["clones"], "check");
  const auto disagreements = column(tables["clones"], "disagreements");
  ASSERT_EQ(checks.size(), 8U + 2U);
  for (std::size_t i = 0; i < checks.size(); ++i) {
    const auto name = checks[i].get<std::string>();
    if (name.ends_with("_printed") || name == "corollary_6_7") continue;
    EXPECT_EQ(disagreements[i], 0) << name;
  }
  EXPECT_EQ(tables["right_inverses"]["rows"].size(), 2U + 3U + 4U);
  EXPECT_THAT(column(tables["right_inverses"], "disagreements"), ::testing::Each(0));
  EXPECT_THAT(column(tables["arrangements"], "same_arrangement"), ::testing::Each(20));
  EXPECT_EQ(tables["batches"]["rows"].size(), 1U + 2U + 3U);
  EXPECT_EQ(tables["peeling"]["rows"].size(), 9U);
  EXPECT_THAT(column(tables["peeling"], "failed"), ::testing::Each(0));
  for (const auto& [name, columns] : theory_columns())
    EXPECT_EQ(tables[name]["columns"], Json(columns)) << name;
}

TEST(TheoryTrial, DependsOnSeedAndTrialAlone) {
  const Plan plan = plan_from(kPlan);
  const Pipeline pipeline(plan, {});
  set_thread_count(1);
  const std::string one = pipeline.run(plan.cells[0], 0).dump();
  set_thread_count(2);
  EXPECT_EQ(pipeline.run(plan.cells[0], 0).dump(), one);
  EXPECT_NE(pipeline.run(plan.cells[0], 1).dump(), one);
  set_thread_count(0);
}

std::string problems_of(const std::string& text) {
  std::string all;
  for (const Problem& problem : preflight(plan_from(text), {})) all += to_line(problem) + "\n";
  return all;
}

TEST(TheoryTrial, RefusesWhatItHasNoUseFor) {
  EXPECT_THAT(problems_of(std::string(kPlan) + "[graph]\nkind = \"ring\"\nnodes = 5\n"),
              ::testing::HasSubstr("no use for [graph]"));
  std::string noisy(kPlan);
  noisy.replace(noisy.find("\"none\""), 6, "\"gaussian\"\nepsilon = 1.0");
  EXPECT_THAT(problems_of(noisy), ::testing::HasSubstr("without noise"));
}

}  // namespace
}  // namespace earshot
