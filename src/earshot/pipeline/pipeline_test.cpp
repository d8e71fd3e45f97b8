#include "earshot/pipeline/pipeline.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/parallel.hpp"
#include "earshot/data/catalogue/test_data.hpp"
#include "earshot/pipeline/components.hpp"
#include "earshot/pipeline/test_tables.hpp"

namespace earshot {
namespace {

using ::testing::HasSubstr;

GraphSources sources() {
  return {data_directory(), "."};
}

Plan plan_from(const std::string& text) {
  return parse_plan(text, "test.toml", standard_catalogue());
}

constexpr const char* kDgd = R"(
name = "t"
title = "t"
trials = 2
[graph]
kind = "florentine"
[weights]
kind = "max_degree"
[data]
kind = "mnist"
[model]
kind = "softmax_regression"
[protocol]
kind = "dgd"
rounds = 7
[mechanism]
kind = "none"
[adversary]
kind = "coalition"
nodes = ["Medici"]
[attack]
kind = "dgd_reconstruction"
)";

constexpr const char* kGossip = R"(
name = "t"
title = "t"
[graph]
kind = "star"
nodes = 8
[weights]
kind = "metropolis"
[protocol]
kind = "gossip"
rounds = 5
[mechanism]
kind = "none"
[adversary]
kind = "each"
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

double column_mean(const Json& table, const std::string& name) {
  return testing::mean(testing::column(table, name));
}

TEST(Pipeline, MediciReconstructsEveryDigitWithoutNoiseAndNoneWithIt) {
  EARSHOT_NEEDS_DATASET("mnist");
  const Plan bare = plan_from(kDgd);
  const Json open = Pipeline(bare, sources()).run(bare.cells[0], 0);
  EXPECT_EQ(open["tables"]["victims"]["rows"].size(), 14U);
  EXPECT_EQ(column_mean(open["tables"]["victims"], "success"), 1.0);
  EXPECT_EQ(column_mean(open["tables"]["victims"], "label_correct"), 1.0);
  EXPECT_GT(column_mean(open["tables"]["victims"], "psnr"),
            column_mean(open["tables"]["victims"], "mean_psnr") + 20);
  EXPECT_FALSE(open["statement"]["private"]);
  EXPECT_EQ(open["gallery"].size(), 14U);

  const Plan noisy = plan_from(replaced(kDgd, "kind = \"none\"", "kind = \"gaussian\"\nepsilon = 8.0"));
  const Json closed = Pipeline(noisy, sources()).run(noisy.cells[0], 0);
  EXPECT_EQ(column_mean(closed["tables"]["victims"], "success"), 0.0);
  EXPECT_NEAR(closed["statement"]["epsilon"].get<double>(), 8.0, 1e-6);
}

TEST(Pipeline, GossipAttackRecoversImagesAndNoiseHidesThem) {
  EARSHOT_NEEDS_DATASET("mnist");
  const std::string with_data =
      std::string(kGossip) + "[data]\nkind = \"mnist\"\n[attack]\nkind = \"gossip_reconstruction\"\n";
  const Plan plan = plan_from(with_data);
  ASSERT_TRUE(preflight(plan, sources()).empty());
  const Json result = Pipeline(plan, sources()).run(plan.cells[0], 0);
  const Json& victims = result["tables"]["victims"];
  // The hub hears all 7 leaves; a leaf hears the hub, and of the 6 other leaves only ever their sum.
  EXPECT_EQ(victims["rows"].size(), 8U * 7U);
  EXPECT_NEAR(column_mean(victims, "identified"), 14.0 / 56.0, 1e-12);
  std::size_t psnr_column = 0;
  while (victims["columns"][psnr_column] != "psnr") ++psnr_column;
  for (const Json& row : victims["rows"]) {
    if (row[3] == 1) {
      EXPECT_GT(row[psnr_column].get<double>(), 60.0);
    }
  }
  for (const std::string variant : {"acceleration = \"chebyshev\"", "message_precision = \"float32\""}) {
    const Plan other = plan_from(replaced(with_data, "rounds = 5", "rounds = 5\n" + variant));
    const Json same = Pipeline(other, sources()).run(other.cells[0], 0);
    EXPECT_EQ(column_mean(same["tables"]["victims"], "identified"), column_mean(victims, "identified"));
  }
}

TEST(Pipeline, SameResultForAnyThreadCount) {
  EARSHOT_NEEDS_DATASET("mnist");
  const Plan plan =
      plan_from(replaced(kDgd, "kind = \"coalition\"\nnodes = [\"Medici\"]", "kind = \"each\""));
  const Pipeline pipeline(plan, sources());
  set_thread_count(1);
  const std::string one = pipeline.run(plan.cells[0], 1).dump();
  set_thread_count(2);
  EXPECT_EQ(pipeline.run(plan.cells[0], 1).dump(), one);
  set_thread_count(0);
}

std::string problems_of(const std::string& text) {
  std::string all;
  for (const Problem& problem : preflight(plan_from(text), sources())) all += to_line(problem) + "\n";
  return all;
}

TEST(Preflight, AcceptsAPlanWithoutData) {
  EXPECT_EQ(problems_of(kGossip), "");
}

TEST(Preflight, ListsAllProblemsAtOnceWithTheirFix) {
  const std::string text =
      "name = \"t\"\ntitle = \"t\"\n[graph]\nkind = \"ring\"\nnodes = 5\n[protocol]\nkind = \"dgd\"\nrounds "
      "= 3\n"
      "[mechanism]\nkind = \"none\"\n";
  const std::string problems = problems_of(text);
  for (const char* text_part : {"[weights]", "[data]", "[model]", "[partition]", "earshot list weights"}) {
    EXPECT_THAT(problems, HasSubstr(text_part));
  }
}

TEST(Preflight, NoticesWhatOnlyBuildingShows) {
  EXPECT_THAT(problems_of(replaced(kGossip, "kind = \"each\"", "kind = \"coalition\"\nnodes = [\"9\"]")),
              HasSubstr("9"));
  EXPECT_THAT(problems_of(replaced(kGossip, "kind = \"none\"", "kind = \"gaussian\"")), HasSubstr("epsilon"));
  EXPECT_THAT(problems_of(replaced(kGossip, "kind = \"star\"\nnodes = 8",
                                   "kind = \"erdos_renyi\"\nnodes = 30\np = 0.02\nconnected = false")),
              HasSubstr("parts"));
  EXPECT_THAT(problems_of(std::string(kGossip) + "[attack]\nkind = \"dgd_reconstruction\"\n"),
              HasSubstr("[data]"));
  EXPECT_THAT(problems_of(std::string(kGossip) + "[model]\nkind = \"softmax_regression\"\n"),
              HasSubstr("trains no model"));
  EXPECT_THAT(
      problems_of(std::string(kGossip) +
                  "[[curve]]\ntitle = \"t\"\ntable = \"victims\"\nx = \"distance\"\ny = [\"psnr\"]\n"),
      HasSubstr("victims"));
}

}  // namespace
}  // namespace earshot
