#include "earshot/experiment/recommendation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// Of one step of a victim; no score where the attack gave no rows.
struct Step {
  int round;
  Json score;
  double random = 0.4;
  double likeliest = 0.3;
};

Json cell_of(const std::string& name, const std::vector<Step>& steps, Json accuracy, Json epsilon,
             double latency) {
  Json attacks = Json::array();
  for (const Step& step : steps) {
    const Json informed = step.score.is_null() ? Json() : Json(step.score.get<double>() + 0.125);
    attacks.push_back({0, "a", step.round, step.score, step.random, step.likeliest, informed});
  }
  return {
      {"settings", {{"data.encoding", name}}},
      {"tables",
       {{"table_attacks",
         {{"columns", {"trial", "victim", "round", "accuracy", "random", "likeliest", "informed"}},
          {"rows", attacks}}},
        {"training",
         {{"columns", {"trial", "accuracy", "epsilon", "elapsed"}},
          {"rows", Json::array({Json::array({0, std::move(accuracy), std::move(epsilon), latency})})}}}}}};
}

Json cell(const std::string& name, const std::vector<double>& leakage, Json accuracy, Json epsilon,
          double latency) {
  std::vector<Step> steps;
  for (const double x : leakage) steps.push_back({1, x});
  return cell_of(name, steps, std::move(accuracy), std::move(epsilon), latency);
}

TEST(ParetoFront, KeepsWhatNothingBeats) {
  EXPECT_THAT(pareto_front(std::vector<double>{1, 4, 2, 2, 4, 1, 3, 3, 2, 2}, 2),
              ElementsAre(true, true, true, false, true));
  EXPECT_THAT(pareto_front(std::vector<double>{0.1, kInfinite, 0.1, 5}, 2), ElementsAre(false, true));
  EXPECT_THAT(pareto_front(std::vector<double>{}, 3), ElementsAre());
}

TEST(ParetoFront, RefusesBrokenRows) {
  EXPECT_THROW(pareto_front(std::vector<double>{1, 2, 3}, 2), Error);
  EXPECT_THROW(pareto_front(std::vector<double>{1}, 0), Error);
  EXPECT_THROW(pareto_front(std::vector<double>{std::nan("")}, 1), Error);
}

// Oracle: a point of the front minimises some monotone function; a lexicographic minimum is always on it, and
// every point off it has a member of the front at least as good everywhere.
TEST(ParetoFront, CoversEveryPointAndHasNoInnerDomination) {
  Stream random({5, Purpose::kTest});
  for (int repeat = 0; repeat < 200; ++repeat) {
    const std::size_t count = 1 + random.below(12);
    std::vector<double> rows(3 * count);
    for (double& x : rows) x = static_cast<double>(random.below(4));
    const std::vector<bool> front = pareto_front(rows, 3);
    const auto at_least_as_good = [&](std::size_t a, std::size_t b) {
      return rows[3 * a] <= rows[3 * b] && rows[3 * a + 1] <= rows[3 * b + 1] &&
             rows[3 * a + 2] <= rows[3 * b + 2];
    };
    const auto equal = [&](std::size_t a, std::size_t b) {
      return at_least_as_good(a, b) && at_least_as_good(b, a);
    };
    for (std::size_t i = 0; i < count; ++i) {
      bool covered = false;
      for (std::size_t j = 0; j < count; ++j) {
        covered |= front[j] && at_least_as_good(j, i);
        EXPECT_FALSE(front[i] && front[j] && at_least_as_good(j, i) && !equal(i, j));
      }
      EXPECT_TRUE(covered);
    }
  }
}

TEST(Recommend, TakesTheMostAccurateToleratedCell) {
  const Json results{
      {"cells",
       {cell("one_hot", {0.90, 0.94, 0.92}, 0.85, nullptr, 10),
        cell("binary", {0.40, 0.42, 0.41}, 0.80, 8.0, 10), cell("hashing", {0.30, 0.31, 0.32}, 0.80, 4.0, 10),
        cell("worse", {0.45, 0.46, 0.44}, 0.70, 9.0, 20), cell("unlearned", {0.2, 0.2}, nullptr, 1.0, 1)}}};
  const Recommendation found = recommend(results, {.at_most = 0.5});
  ASSERT_EQ(found.options.size(), 4U);
  EXPECT_EQ(found.left_out, 1U);
  ASSERT_TRUE(found.best);
  const ProtectionOption& best = found.options[*found.best];
  EXPECT_EQ(best.settings.at("data.encoding"), "hashing");
  EXPECT_EQ(best.cell, 2U);
  EXPECT_DOUBLE_EQ(best.worst.leakage, 0.31);
  EXPECT_TRUE(best.on_front);
  EXPECT_EQ(found.options[0].epsilon, kInfinite);
  EXPECT_TRUE(found.options[0].on_front);
  EXPECT_FALSE(found.options[0].tolerated);
  EXPECT_FALSE(found.options[3].on_front);
  EXPECT_FALSE(recommend(results, {.at_most = 0.1}).best);
}

// t quantile 0.95 with 2 degrees of freedom is 2.919986; s = 0.02, n = 3.
TEST(Recommend, ToleratesOnlyWithConfidence) {
  const Json results{
      {"cells", {cell("a", {0.46, 0.48, 0.50}, 0.8, 1.0, 1), cell("single", {0.1}, 0.9, 1.0, 1)}}};
  const Recommendation found = recommend(results, {.at_most = 0.5});
  EXPECT_NEAR(found.options[1].leakage_bound, 0.48 + 2.919986 * 0.02 / std::sqrt(3.0), 1e-7);
  EXPECT_EQ(found.options[0].leakage_bound, kInfinite);
  EXPECT_FALSE(found.best);
  EXPECT_EQ(*recommend(results, {.at_most = 0.52}).best, 1U);
  const Json json = recommendation_json(found, {.at_most = 0.5});
  EXPECT_TRUE(json.at("best").is_null());
  EXPECT_TRUE(json.at("options")[0].at("leakage_bound").is_null());
}

// The first round leaks most on "early", the last on "late"; a round with few attacks may have the wider
// bound.
TEST(Recommend, JudgesByTheRoundThatLeaksMost) {
  const Json results{
      {"cells",
       {cell_of("early", {{1, 0.9}, {40, 0.2}, {1, 0.8}, {40, 0.3}}, 0.9, 1.0, 1),
        cell_of("late", {{1, 0.3, 0.1, 0.2}, {40, 0.6, 0.5, 0.7}, {1, 0.3, 0.1, 0.2}, {40, 0.6, 0.5, 0.7}},
                0.8, 1.0, 1),
        cell_of("wide", {{1, 0.6}, {1, 0.6}, {40, 0.1}, {40, 0.9}}, 0.7, 1.0, 1)}}};
  const Recommendation found = recommend(results, {.at_most = 0.6});
  const ProtectionOption& early = found.options[0];
  ASSERT_EQ(early.rounds.size(), 2U);
  EXPECT_EQ(early.worst.round, 1U);
  EXPECT_DOUBLE_EQ(early.worst.leakage, 0.85);
  EXPECT_FALSE(early.tolerated);
  const ProtectionOption& late = found.options[1];
  EXPECT_EQ(late.worst.round, 40U);
  EXPECT_DOUBLE_EQ(late.worst.leakage, 0.6);
  EXPECT_DOUBLE_EQ(late.worst.random, 0.5);
  EXPECT_DOUBLE_EQ(late.worst.likeliest, 0.7);
  EXPECT_TRUE(late.tolerated);
  const ProtectionOption& wide = found.options[2];
  EXPECT_EQ(wide.worst.round, 1U);
  EXPECT_DOUBLE_EQ(wide.leakage_bound, wide.rounds[1].bound);
  EXPECT_FALSE(wide.tolerated);
  EXPECT_EQ(found.best, 1U);
  const Json json = recommendation_json(found, {.at_most = 0.6});
  EXPECT_EQ(json.at("options")[1].at("worst_round"), 40);
  EXPECT_EQ(json.at("options")[1].at("random"), 0.5);
  EXPECT_EQ(json.at("options")[0].at("rounds")[1].at("leakage"), 0.25);
}

// Oracle: rounds of three attacks judged one by one, t quantile 0.95 with 2 degrees of freedom by hand.
TEST(Recommend, AgreesWithJudgingEveryRoundAlone) {
  Stream random({6, Purpose::kTest});
  for (int repeat = 0; repeat < 100; ++repeat) {
    Json cells = Json::array();
    std::optional<double> best;
    for (int c = 0; c < 6; ++c) {
      std::vector<Step> steps;
      bool tolerated = true;
      for (const int round : {1, 7, 40}) {
        double sum = 0, squares = 0;
        for (int victim = 0; victim < 3; ++victim) {
          const double score = 0.3 * random.uniform();
          steps.push_back({round, score});
          sum += score;
          squares += score * score;
        }
        const double deviation = std::sqrt((squares - sum * sum / 3) / 2);
        tolerated &= sum / 3 + 2.91998558 * deviation / std::sqrt(3.0) <= 0.4;
      }
      const double accuracy = random.uniform();
      if (tolerated) best = std::max(best.value_or(0), accuracy);
      cells.push_back(cell_of(std::to_string(c), steps, accuracy, 1.0, 1));
    }
    const Recommendation found = recommend({{"cells", cells}}, {.at_most = 0.4});
    ASSERT_EQ(found.best.has_value(), best.has_value());
    if (best) EXPECT_DOUBLE_EQ(found.options[*found.best].accuracy, *best);
  }
}

TEST(Recommend, ARoundWithoutRowsProvesNothing) {
  const Json results{{"cells",
                      {cell_of("a", {{1, Json()}, {1, Json()}, {9, 0.1}, {9, 0.1}}, 0.8, 1.0, 1),
                       cell_of("b", {{1, Json()}, {9, Json()}}, 0.9, 1.0, 1)}}};
  const Recommendation found = recommend(results, {.at_most = 0.5});
  EXPECT_EQ(found.left_out, 1U);
  ASSERT_EQ(found.options.size(), 1U);
  EXPECT_EQ(found.options[0].rounds[0].failed, 2U);
  EXPECT_EQ(found.options[0].worst.round, 9U);
  EXPECT_EQ(found.options[0].leakage_bound, kInfinite);
  EXPECT_FALSE(found.best);
  const Json rounds = recommendation_json(found, {.at_most = 0.5}).at("options")[0].at("rounds");
  EXPECT_TRUE(rounds[0].at("leakage").is_null());
  EXPECT_TRUE(rounds[0].at("random").is_null());
}

TEST(Recommend, MeasuresWhatIsAskedFor) {
  const Json results{{"cells", {cell_of("a", {{1, 0.75, 0.25, 0.5}, {1, 0.5, 0.375, 0.25}}, 0.8, 1.0, 1)}}};
  const auto leakage = [&](const std::string& column, bool above_guess) {
    return recommend(results, {.column = column, .above_guess = above_guess, .at_most = 1})
        .options[0]
        .worst.leakage;
  };
  EXPECT_DOUBLE_EQ(leakage("accuracy", false), 0.625);
  EXPECT_DOUBLE_EQ(leakage("accuracy", true), (0.25 + 0.125) / 2);
  EXPECT_DOUBLE_EQ(leakage("informed", false), 0.75);
  EXPECT_DOUBLE_EQ(leakage("informed", true), (0.375 + 0.25) / 2);
}

// Two standard errors, of each guess: 0.1 above with deviations of 0.0354, 0.354 and 0.0354 over two attacks.
TEST(Recommend, SaysWhetherTheAttackBeatsBothGuesses) {
  const auto verdict = [](const std::vector<Step>& steps) {
    const Json results{{"cells", {cell_of("a", steps, 0.8, 1.0, 1)}}};
    return recommend(results, {.at_most = 1}).options[0].worst.against_guess;
  };
  EXPECT_EQ(verdict({{1, 0.475}, {1, 0.525}}), Comparison::kBetter);
  EXPECT_EQ(verdict({{1, 0.25}, {1, 0.75}}), Comparison::kNoBetter);
  EXPECT_EQ(verdict({{1, 0.475, 0.4, 0.5}, {1, 0.525, 0.4, 0.5}}), Comparison::kNoBetter);
  EXPECT_EQ(verdict({{1, 0.275}, {1, 0.325}}), Comparison::kWorse);
  EXPECT_EQ(verdict({{1, 0.9}}), Comparison::kUnknown);
}

class Confirming : public ::testing::Test {
 protected:
  static Json rerun(const std::vector<double>& leakage, const Json& accuracy = 0.7) {
    Json again = cell("", leakage, accuracy, 2.0, 3);
    again["settings"] = Json::object();
    return {{"cells", {again}}};
  }

  const Tolerance tolerance_{.at_most = 0.5};
  const Recommendation found_ =
      recommend({{"cells",
                  {cell("leaky", {0.6, 0.6}, 0.9, 1.0, 1), cell("best", {0.4, 0.4}, 0.8, 1.0, 1),
                   cell("between", {0.7, 0.7}, 0.7, 1.0, 1), cell("next", {0.3, 0.3}, 0.6, 1.0, 1),
                   cell("last", {0.2, 0.2}, 0.5, 1.0, 1)}}},
                tolerance_);
};

TEST_F(Confirming, HoldsWithinTheTolerance) {
  const Confirmation confirmation = confirm(found_, rerun({0.45, 0.45}), tolerance_);
  EXPECT_TRUE(confirmation.holds);
  EXPECT_FALSE(confirmation.next);
  ASSERT_TRUE(confirmation.measured);
  EXPECT_EQ(confirmation.measured->settings.at("data.encoding"), "best");
  EXPECT_EQ(confirmation.measured->cell, 1U);
  EXPECT_DOUBLE_EQ(confirmation.measured->accuracy, 0.7);
  const Json json = confirmation_json(confirmation);
  EXPECT_EQ(json.at("holds"), true);
  EXPECT_EQ(json.at("measured").at("leakage"), 0.45);
  EXPECT_TRUE(json.at("next").is_null());
}

TEST_F(Confirming, NamesTheNextToleratedOption) {
  for (const Json& failing :
       {rerun({0.55, 0.55}), rerun({0.3, 0.6}), rerun({0.1}), rerun({0.1, 0.1}, Json())}) {
    const Confirmation confirmation = confirm(found_, failing, tolerance_);
    EXPECT_FALSE(confirmation.holds);
    ASSERT_TRUE(confirmation.next);
    EXPECT_EQ(found_.options[*confirmation.next].settings.at("data.encoding"), "next");
  }
  EXPECT_FALSE(confirm(found_, rerun({0.1, 0.1}, Json()), tolerance_).measured);
}

TEST_F(Confirming, SaysWhenNothingIsLeft) {
  const Recommendation one = recommend({{"cells", {cell("a", {0.4, 0.4}, 0.8, 1.0, 1)}}}, tolerance_);
  EXPECT_FALSE(confirm(one, rerun({0.6, 0.6}), tolerance_).next);
}

TEST_F(Confirming, NeedsOneOptionAndOneCell) {
  const Json two{{"cells", {cell("a", {0.1, 0.1}, 0.8, 1.0, 1), cell("b", {0.1, 0.1}, 0.8, 1.0, 1)}}};
  EXPECT_THROW(confirm(found_, two, tolerance_), Error);
  const Recommendation none = recommend(two, {.at_most = 0});
  EXPECT_THROW(confirm(none, rerun({0.1, 0.1}), tolerance_), Error);
}

TEST(Recommend, RefusesWhatCannotBeCompared) {
  const Json results{{"cells", {cell("a", {0.4}, 0.8, 1.0, 1)}}};
  EXPECT_THROW(recommend(results, {.column = "psnr", .at_most = 1}), Error);
  EXPECT_THROW(recommend(results, {.at_most = kInfinite}), Error);
  EXPECT_THROW(recommend(results, {.at_most = 1, .confidence = 1}), Error);
}

}  // namespace
}  // namespace earshot
