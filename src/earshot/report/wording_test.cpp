#include "earshot/report/wording.hpp"

#include <gtest/gtest.h>

#include "earshot/report/sample.hpp"

namespace earshot {
namespace {

std::string headline(const Json& document) {
  const Results results = read_results(document);
  std::vector<CellFacts> facts;
  for (const CellResults& cell : results.cells) facts.push_back(cell_facts(cell));
  return headline_text(results, facts);
}

TEST(Wording, SharesNeverRoundToNoneOrAll) {
  EXPECT_EQ(percent_text(0.0), "0 %");
  EXPECT_EQ(percent_text(0.001), "<1 %");
  EXPECT_EQ(percent_text(0.999), ">99 %");
  EXPECT_EQ(percent_text(1.0), "100 %");
  EXPECT_EQ(percent_text(std::nullopt), "–");
}

TEST(Wording, NumbersAreShort) {
  EXPECT_EQ(number_text(0.94), "0.94");
  EXPECT_EQ(number_text(1e-5), "1e-05");
  EXPECT_EQ(number_text(31.24159, 3), "31.2");
  EXPECT_EQ(number_text(10000.0), "10000");
  EXPECT_EQ(number_text(1234.56, 3), "1235");
  EXPECT_EQ(number_text(1e7), "1e+07");
  EXPECT_EQ(number_text(std::nullopt), "–");
}

TEST(Wording, AStatementNamesEveryTerm) {
  StatementFacts statement;
  EXPECT_EQ(
      statement_text(statement),
      "no privacy; definition: not stated; protects: not stated; adjacency: not stated; against: not stated");
  statement.is_private = true;
  statement.epsilon = 2.0;
  statement.delta = 1e-6;
  statement.assumptions = {"a", "b"};
  EXPECT_EQ(
      statement_text(statement),
      "ε = 2, δ = 1e-06; definition: not stated; protects: not stated; adjacency: not stated; against: not "
      "stated; assuming: a; b");
}

TEST(Wording, VerdictNeedsAMeasurement) {
  ExpectationFacts expectation;
  expectation.met = true;
  EXPECT_EQ(verdict_text(expectation), "not measured");
  expectation.measured = 1.0;
  EXPECT_EQ(measured_text(expectation), "1");
  expectation.compared = {3.0, 2.0};
  EXPECT_EQ(measured_text(expectation), "1 = 3 − 2");
  EXPECT_EQ(verdict_text(expectation), "met");
  expectation.met = false;
  EXPECT_EQ(verdict_text(expectation), "missed");
}

TEST(Headline, AnswersInOneSentence) {
  Json document = sample_document();
  document.erase("expectations");
  EXPECT_EQ(headline(document),
            "4 of 4 participants can reconstruct most of the others' data; with noise, ε = 8: none.");
  document["cells"].erase(0);
  EXPECT_EQ(headline(document), "None of 4 participants can reconstruct most of the others' data.");
}

TEST(Headline, LongSettingsAreNamedByTheirGuarantee) {
  Json document = sample_document();
  document.erase("expectations");
  for (int i = 0; i < 3; ++i) document["cells"].push_back(document["cells"][0]);
  for (Json& cell : document["cells"]) cell["settings"] = {{"a.x", 1}, {"b.x", 2}, {"c.y", 3}};
  EXPECT_EQ(headline(document),
            "Over 5 settings, an average attacker reconstructs from 0 % (ε = 8) to 75 % (no privacy) of the "
            "others' "
            "data.");
}

TEST(SweptKeys, AreShortUnlessAmbiguous) {
  CellResults first, second;
  first.settings = {{"a.x", "1"}, {"b.x", "2"}};
  second.settings = {{"c.y", "3"}, {"a.x", "4"}};
  const std::vector<SweptKey> keys = swept_keys({first, second});
  ASSERT_EQ(keys.size(), 3u);
  EXPECT_EQ(keys[0].title, "a.x");
  EXPECT_EQ(keys[1].title, "b.x");
  EXPECT_EQ(keys[2].title, "y");
  EXPECT_EQ(swept_value(second, "a.x"), "4");
  EXPECT_EQ(swept_value(first, "c.y"), "");
}

TEST(Headline, OfATrainingSaysWhatWasLearnt) {
  Json document = sample_document();
  document.erase("expectations");
  Json cell = {
      {"settings", {{"protocol.kind", "central"}}},
      {"statement", {{"private", false}}},
      {"tables",
       {{"training",
         {{"columns", {"trial", "accuracy", "baseline"}}, {"rows", {{0, 0.94, 0.1}, {1, 0.96, 0.1}}}}}}}};
  document["cells"] = Json::array({cell});
  EXPECT_EQ(headline(document),
            "Trained to an accuracy of 95 % (no privacy); always saying the majority scores 10 %.");
  cell["settings"]["protocol.kind"] = "fedavg";
  cell["tables"]["training"]["rows"] = {{0, 0.5, 0.1}};
  document["cells"].push_back(cell);
  EXPECT_EQ(headline(document),
            "Over 2 settings, training reaches an accuracy from 50 % (protocol.kind = fedavg) to 95 % "
            "(protocol.kind = central); always saying the majority scores 10 %.");
  document["cells"][1]["tables"] = document["cells"][0]["tables"];
  EXPECT_EQ(
      headline(document),
      "In all 2 settings, training reaches an accuracy of 95 %; always saying the majority scores 10 %.");
}

TEST(Headline, LongSettingsAreNamedByTheirComponents) {
  Json document = sample_document();
  document.erase("expectations");
  Json cells = Json::array();
  for (const double accuracy : {0.5, 0.9}) {
    cells.push_back(
        {{"settings",
          {{"protocol.rounds", 3}, {"protocol.kind", accuracy < 0.6 ? "dgd" : "pdmm"}, {"a.b", 1}}},
         {"statement", {{"private", false}}},
         {"tables", {{"training", {{"columns", {"trial", "accuracy"}}, {"rows", {{0, accuracy}}}}}}}});
  }
  document["cells"] = cells;
  EXPECT_EQ(
      headline(document),
      "Over 2 settings, training reaches an accuracy from 50 % (protocol.kind = dgd, no privacy) to 90 % "
      "(protocol.kind = pdmm, no privacy).");
}

TEST(Headline, SaysWhenThereIsNothingToSay) {
  Json document = sample_document();
  document.erase("expectations");
  document["cells"] = Json::array({Json::object()});
  EXPECT_EQ(headline(document), "No attack was part of this run.");
  document.erase("cells");
  EXPECT_EQ(headline(document), "This document holds no results.");
}

}  // namespace
}  // namespace earshot
