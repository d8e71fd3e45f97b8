#include "earshot/experiment/recommendation.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

Json cell(const std::string& name, const std::vector<double>& leakage, Json accuracy, Json epsilon,
          double latency) {
  Json victims = Json::array();
  for (const double x : leakage) victims.push_back({0, "a", x});
  return {{"settings", {{"data.encoding", name}}},
          {"tables",
           {{"victims", {{"columns", {"trial", "victim", "cell_accuracy"}}, {"rows", victims}}},
            {"training",
             {{"columns", {"trial", "accuracy", "epsilon", "elapsed"}},
              {"rows", Json::array({Json::array({0, accuracy, epsilon, latency})})}}}}}};
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
  EXPECT_DOUBLE_EQ(best.leakage, 0.31);
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

TEST(Recommend, RefusesWhatCannotBeCompared) {
  const Json results{{"cells", {cell("a", {0.4}, 0.8, 1.0, 1)}}};
  EXPECT_THROW(recommend(results, {.column = "psnr", .at_most = 1}), Error);
  EXPECT_THROW(recommend(results, {.at_most = kInfinite}), Error);
  EXPECT_THROW(recommend(results, {.at_most = 1, .confidence = 1}), Error);
}

}  // namespace
}  // namespace earshot
