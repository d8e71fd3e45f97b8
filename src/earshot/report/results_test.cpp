#include "earshot/report/results.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/report/facts.hpp"
#include "earshot/report/sample.hpp"

namespace earshot {
namespace {

using testing::HasSubstr;

std::string refusal(const Json& document) {
  try {
    read_results(document);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ReadResults, NamesThePlaceAndTheReason) {
  Json document = sample_document();
  document["cells"][1]["network"]["edges"][2] = {0, 9};
  EXPECT_EQ(refusal(document),
            "not an earshot results document: cells[1].network.edges[2][1] must be the index of one of the 4 "
            "nodes, "
            "found a number");
  document = sample_document();
  document["expectations"][0]["met"] = "yes";
  EXPECT_THAT(refusal(document), HasSubstr("expectations[0].met must be true or false, found a string"));
  document = sample_document();
  document["cells"][0]["tables"]["training"]["rows"][0].push_back(1);
  EXPECT_THAT(refusal(document), HasSubstr("cells[0].tables.training.rows[0] must be a row of 4 values"));
}

TEST(ReadResults, SaysWhenTheFormatIsAnother) {
  Json document = sample_document();
  document["earshot"]["format"] = 2;
  EXPECT_EQ(refusal(document), "results document has format 2, this earshot reads format 1");
  EXPECT_THAT(refusal(Json::object()), HasSubstr("no \"earshot\" part"));
}

TEST(ReadResults, BoundsTheMessageWhateverTheKeys) {
  Json document = sample_document();
  document["cells"][0]["truths"][std::string(1 << 20, 'k')] = 1;
  EXPECT_LT(refusal(document).size(), 300u);
}

TEST(ReadResults, NothingIsPrivateWithoutAFiniteEpsilon) {
  Json document = sample_document();
  Json& statement = document["cells"][0]["statement"];
  statement["private"] = true;
  EXPECT_FALSE(read_results(document).cells[0].statement->is_private);
  statement["epsilon"] = 1.0;
  EXPECT_TRUE(read_results(document).cells[0].statement->is_private);
  statement["private"] = false;
  EXPECT_FALSE(read_results(document).cells[0].statement->is_private);
}

TEST(ReadResults, CurvesWithoutAPointAreNotShown) {
  Json document = sample_document();
  Json left_behind = document["curves"][0];
  left_behind["series"][0]["points"] = Json::array();
  document["curves"].push_back(left_behind);
  left_behind["series"] = Json::array();
  document["curves"].push_back(left_behind);
  const Results results = read_results(document);
  ASSERT_EQ(results.curves.size(), 1U);
  EXPECT_EQ(results.curves[0].series[0].points.size(), 2U);
}

TEST(CellFacts, AveragesTrialsAndCountsTheOthersOnly) {
  const Results results = read_results(sample_document());
  const CellFacts facts = cell_facts(results.cells[0]);
  ASSERT_EQ(facts.attackers.size(), 4u);
  EXPECT_DOUBLE_EQ(*facts.attackers[0].determined, 1.0);
  EXPECT_DOUBLE_EQ(*facts.attackers[3].determined, 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(*facts.attackers[1].success, 0.75);
  EXPECT_EQ(facts.reconstruct_most, 4u);
  EXPECT_DOUBLE_EQ(*facts.psnr, 30.0);
  EXPECT_EQ(facts.exposed_to, (std::vector<std::size_t>{3, 3, 3, 3}));
  const CellFacts noisy = cell_facts(results.cells[1]);
  EXPECT_EQ(noisy.reconstruct_most, 0u);
  EXPECT_EQ(noisy.exposed_to, (std::vector<std::size_t>{0, 0, 0, 0})) << "determined is not reconstructed";
}

TEST(CellFacts, WithoutAnAttackCountsWhatIsDetermined) {
  Json document = sample_document();
  document["cells"][0].erase("tables");
  document["cells"][0].erase("summary");
  const Results results = read_results(document);
  const CellFacts facts = cell_facts(results.cells[0]);
  EXPECT_EQ(facts.exposed_to, (std::vector<std::size_t>{2, 3, 3, 3}));
  EXPECT_DOUBLE_EQ(*facts.attackers[1].degree, 2.0) << "from the edges when no table says";
  EXPECT_FALSE(facts.attackers[0].success);
  EXPECT_TRUE(facts.pairs[1].beyond_precision);
}

TEST(CellFacts, ColludersAreOneAttacker) {
  Json document = sample_document();
  Json& cell = document["cells"][0];
  cell.erase("tables");
  cell["exposure"] = {{{"attackers", {"Ada", "Kurt"}}, {"reconstructible", {"Ada", "Blaise", "Kurt"}}}};
  const Results results = read_results(document);
  const CellFacts facts = cell_facts(results.cells[0]);
  ASSERT_EQ(facts.attackers.size(), 1u);
  EXPECT_EQ(facts.attackers[0].label, "Ada+Kurt");
  EXPECT_DOUBLE_EQ(*facts.attackers[0].determined, 0.5)
      << "one of the two others; their own values do not count";
  EXPECT_DOUBLE_EQ(*facts.attackers[0].degree, 2.0) << "wires into the set";
}

}  // namespace
}  // namespace earshot
