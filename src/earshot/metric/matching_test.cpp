#include "earshot/metric/matching.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include <gmock/gmock.h>

#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

std::vector<double> random_costs(std::size_t count, Stream& stream) {
  std::vector<double> costs(count);
  for (double& cost : costs) cost = 10 * stream.uniform() - 3;
  return costs;
}

/// Few different costs, so that many matchings tie.
std::vector<double> tied_costs(std::size_t count, Stream& stream) {
  std::vector<double> costs(count);
  for (double& cost : costs) cost = static_cast<double>(stream.below(3));
  return costs;
}

/// The least cost over all orders of the longer side.
double brute_force(const std::vector<double>& cost, std::size_t rows, std::size_t columns) {
  std::vector<std::size_t> order(std::max(rows, columns));
  std::iota(order.begin(), order.end(), std::size_t{0});
  double least = std::numeric_limits<double>::infinity();
  do {
    double sum = 0;
    for (std::size_t i = 0; i < std::min(rows, columns); ++i)
      sum += rows <= columns ? cost[i * columns + order[i]] : cost[order[i] * columns + i];
    least = std::min(least, sum);
  } while (std::next_permutation(order.begin(), order.end()));
  return least;
}

/// Every pair once, as many as fit, and the cost is theirs.
void expect_valid(const Assignment& matching, const std::vector<double>& cost, std::size_t rows,
                  std::size_t columns) {
  ASSERT_EQ(matching.column_of.size(), rows);
  std::set<std::size_t> used;
  double sum = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    if (!matching.column_of[row]) continue;
    const std::size_t column = *matching.column_of[row];
    ASSERT_LT(column, columns);
    EXPECT_TRUE(used.insert(column).second);
    sum += cost[row * columns + column];
  }
  EXPECT_EQ(used.size(), std::min(rows, columns));
  EXPECT_NEAR(matching.cost, sum, 1e-9);
}

TEST(Assignment, TextbookExample) {
  // Greedy takes the 1 and ends at 1 + 5 + 9; the optimum is 3 + 2 + 4.
  const std::vector<double> cost{1, 3, 6,  //
                                 2, 5, 8,  //
                                 9, 7, 4};
  const Assignment matching = optimal_matching(cost, 3, 3);
  EXPECT_THAT(matching.column_of, ElementsAre(Optional(1u), Optional(0u), Optional(2u)));
  EXPECT_EQ(matching.cost, 9);
}

TEST(Assignment, IsTheBestOfAllPermutations) {
  Stream stream(StreamName{.seed = 81});
  for (std::size_t rows = 1; rows <= 7; ++rows) {
    for (std::size_t columns = 1; columns <= 7; ++columns) {
      for (int repeat = 0; repeat < 4; ++repeat) {
        const auto cost =
            repeat < 2 ? random_costs(rows * columns, stream) : tied_costs(rows * columns, stream);
        const Assignment matching = optimal_matching(cost, rows, columns);
        expect_valid(matching, cost, rows, columns);
        ASSERT_NEAR(matching.cost, brute_force(cost, rows, columns), 1e-12) << rows << "x" << columns;
      }
    }
  }
}

// On a line with squared distances the sorted orders belong together.
TEST(Assignment, PairsPointsOnALineInOrder) {
  Stream stream(StreamName{.seed = 82});
  const std::size_t count = 150;
  const std::vector<double> a = random_costs(count, stream);
  const std::vector<double> b = random_costs(count, stream);
  std::vector<double> cost;
  for (const double x : a) {
    for (const double y : b) cost.push_back((x - y) * (x - y));
  }
  const Assignment matching = optimal_matching(cost, count, count);
  expect_valid(matching, cost, count, count);
  const auto rank = [](const std::vector<double>& values, std::size_t i) {
    return std::count_if(values.begin(), values.end(), [&](double value) { return value < values[i]; });
  };
  for (std::size_t row = 0; row < count; ++row)
    EXPECT_EQ(rank(a, row), rank(b, matching.column_of[row].value()));
}

// Adding a number to a whole row or (square case) column changes the cost, not the matching.
TEST(Assignment, PotentialsDoNotMatter) {
  Stream stream(StreamName{.seed = 83});
  const std::size_t size = 30;
  const std::vector<double> cost = random_costs(size * size, stream);
  const std::vector<double> rows = random_costs(size, stream);
  const std::vector<double> columns = random_costs(size, stream);
  std::vector<double> shifted = cost;
  for (std::size_t i = 0; i < shifted.size(); ++i)
    shifted[i] += 100 * rows[i / size] + 100 * columns[i % size];
  EXPECT_EQ(optimal_matching(cost, size, size).column_of, optimal_matching(shifted, size, size).column_of);
}

TEST(Assignment, OfTheTransposedCostsIsTheInverse) {
  Stream stream(StreamName{.seed = 84});
  const std::vector<double> cost = random_costs(20 * 33, stream);
  std::vector<double> transposed(cost.size());
  for (std::size_t i = 0; i < cost.size(); ++i) transposed[i % 33 * 20 + i / 33] = cost[i];
  const Assignment wide = optimal_matching(cost, 20, 33);
  const Assignment tall = optimal_matching(transposed, 33, 20);
  EXPECT_NEAR(wide.cost, tall.cost, 1e-12);
  for (std::size_t row = 0; row < 20; ++row) EXPECT_EQ(tall.column_of[wide.column_of[row].value()], row);
}

TEST(Assignment, TiesAreResolvedTheSameWayEveryTime) {
  const std::vector<double> equal(12, 1.0);
  EXPECT_THAT(optimal_matching(equal, 3, 4).column_of, ElementsAre(Optional(0u), Optional(1u), Optional(2u)));
  EXPECT_THAT(optimal_matching(equal, 4, 3).column_of,
              ElementsAre(Optional(0u), Optional(1u), Optional(2u), std::nullopt));
}

TEST(Assignment, NothingToMatch) {
  EXPECT_TRUE(optimal_matching({}, 0, 5).column_of.empty());
  EXPECT_THAT(optimal_matching({}, 2, 0).column_of, ElementsAre(std::nullopt, std::nullopt));
}

TEST(Assignment, RefusesWhatHasNoAnswer) {
  EXPECT_THROW(optimal_matching(std::vector<double>{1, 2, 3}, 2, 2), Error);
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity(), 1e300})
    EXPECT_THROW(optimal_matching(std::vector<double>{1, bad}, 1, 2), Error);
}

}  // namespace
}  // namespace earshot
