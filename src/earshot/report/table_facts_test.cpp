#include "earshot/report/table_facts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/report/html.hpp"
#include "earshot/report/sample.hpp"
#include "earshot/report/terminal.hpp"
#include "earshot/report/view.hpp"

namespace earshot {
namespace {

using testing::HasSubstr;
using testing::Not;

/// One setting of an attack on rows, nothing else.
Json document(double accuracy, double random, double likeliest) {
  Json all = sample_document();
  all["cells"] = Json::array({{{"tables", sample_table_attack(accuracy, random, likeliest)}}});
  all["expectations"] = Json::array();
  return all;
}

TableAttackFacts facts(double accuracy, double random, double likeliest) {
  return *table_facts(read_results(document(accuracy, random, likeliest)).cells[0]);
}

TEST(TableFacts, ScoresArePooledByCells) {
  const TableAttackFacts found = facts(0.9, 0.5, 0.6);
  EXPECT_EQ(found.attacks, 3U);
  EXPECT_EQ(found.failed, 1U);
  EXPECT_NEAR(*found.accuracy, 0.9, 1e-12);
  EXPECT_NEAR(*found.deviation, 0.01 * std::sqrt(2.0), 1e-12);
  ASSERT_EQ(found.columns.size(), 2U);
  EXPECT_EQ(found.columns[0].name, "work");  // gains 0.4, age nothing
  EXPECT_NEAR(*found.columns[0].accuracy, (40 * 0.75 + 120 * 0.95) / 160, 1e-12);
  EXPECT_NEAR(found.columns[0].gain(), 0.4, 1e-12);
  EXPECT_EQ(found.confidence.size(), 10U);
  ASSERT_EQ(found.rows.size(), 1U);
  EXPECT_EQ(found.rows[0].cells.size(), 2U);
  EXPECT_FALSE(found.rows[0].cells[1].right);
}

/// "work" is a category with entropy 0.9, as the ninth part is; no part holds numbers such as "age".
TEST(TableFacts, CellsTellHowOftenCellsAsSureAreRight) {
  const TableAttackFacts found = facts(0.9, 0.5, 0.6);
  const std::vector<ShownCell>& cells = found.rows.at(0).cells;
  EXPECT_FALSE(cells[0].trust);
  EXPECT_NEAR(cells[1].trust.value(), 0.45, 1e-12);
  EXPECT_NEAR(cells[1].entropy.value(), 0.9, 1e-12);
}

TEST(TableFacts, PartsAsNearShareTheirCells) {
  Json all = document(0.9, 0.5, 0.6);
  for (Json& row : all["cells"][0]["tables"]["confidence"]["rows"]) row.back() = 0.0;
  const auto found = *table_facts(read_results(all).cells[0]);
  EXPECT_NEAR(found.rows[0].cells[1].trust.value(), (1 + 9 * 0.45) / 10, 1e-12);
}

TEST(TableFacts, SaysInWordsWhenAnAttackIsNoBetterThanGuessing) {
  EXPECT_THAT(table_verdict_text(facts(0.46, 0.52, 0.6)),
              HasSubstr("46.0 % of the cells right: no better than drawing every cell at random from its "
                        "column (52.0 %)"));
  EXPECT_THAT(table_verdict_text(facts(0.505, 0.5, 0.6)), HasSubstr("no better than drawing every cell"));
  EXPECT_THAT(table_verdict_text(facts(0.55, 0.5, 0.6)),
              HasSubstr("more than random tables (50.0 %), but no better than always guessing each column's "
                        "likeliest value (60.0 %)"));
  EXPECT_THAT(table_verdict_text(facts(0.9, 0.5, 0.6)), Not(HasSubstr("no better")));
  EXPECT_EQ(facts(0.46, 0.52, 0.6).against_random, Comparison::kWorse);
}

TEST(TableFacts, WordsForColumnsAndConfidence) {
  EXPECT_EQ(leaking_columns_text(facts(0.9, 0.5, 0.6)), "Leaking first: work (90 % right, guessing 50 %).");
  EXPECT_THAT(confidence_text(facts(0.9, 0.5, 0.6)), HasSubstr("100 % right where the searches agree most"));
  EXPECT_THAT(confidence_text(facts(0.9, 0.5, 0.6)), HasSubstr("(confidence tells)"));
  EXPECT_THAT(confidence_text(facts(2.0, 0.5, 0.6)), HasSubstr("(no difference beyond chance)"));
  TableAttackFacts nothing;
  EXPECT_EQ(leaking_columns_text(nothing), "");
  EXPECT_EQ(confidence_text(nothing), "");
  EXPECT_THAT(table_verdict_text(nothing), HasSubstr("No step of a victim"));
  nothing.attacks = 4;
  EXPECT_THAT(table_verdict_text(nothing), HasSubstr("None of 4 attacked steps"));
}

TEST(TableFacts, AreInTheTerminalAndOnThePage) {
  const std::string text = render_terminal(document(0.46, 0.52, 0.6), {.colour = false, .width = 100});
  EXPECT_THAT(text, HasSubstr("no better than drawing every cell at random"));
  EXPECT_THAT(text, HasSubstr("<farm>"));
  EXPECT_THAT(text, HasSubstr("wrong"));
  EXPECT_THAT(text, HasSubstr("23 %"));  // half of 46: the part that is as sure
  const Json view = page_view(read_results(document(0.46, 0.52, 0.6)));
  EXPECT_THAT(view.at("headline").get<std::string>(), HasSubstr("no better than drawing"));
  const Json& table = view.at("cells")[0].at("table");
  EXPECT_EQ(table.at("columns")[0].at("name"), "work");
  EXPECT_EQ(table.at("rows")[0].at("cells")[1], Json({"work", "office", "<farm>", false, 0.23}));
  EXPECT_THAT(render_html(document(0.46, 0.52, 0.6)), Not(HasSubstr("<farm>")));
}

TEST(TableFacts, ManySettingsAreCountedByWhatGuessingGets) {
  Json all = document(0.46, 0.52, 0.6);
  all["cells"].push_back(
      {{"settings", {{"mechanism.sigma", 0.01}}}, {"tables", sample_table_attack(0.9, 0.5, 0.6)}});
  all["cells"][0]["settings"] = {{"mechanism.sigma", 1}};
  const Json view = page_view(read_results(all));
  EXPECT_THAT(
      view.at("headline").get<std::string>(),
      HasSubstr("from 46 % (mechanism.sigma = 1) to 90 % (mechanism.sigma = 0.01) of the cells right; "
                "in 1 of them that is no better"));
}

}  // namespace
}  // namespace earshot
