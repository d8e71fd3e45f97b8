#include "earshot/attack/tabular/cell_accuracy.hpp"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>

#include "earshot/attack/tabular/test_table.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

/// The best share of right cells over all orders of the rows.
double brute_force(const TableEncoder& encoder, std::span<const double> truth,
                   std::span<const double> guess) {
  const std::size_t columns = encoder.blocks().size();
  std::vector<std::size_t> order(truth.size() / columns);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::size_t best = 0;
  do {
    std::size_t right = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) {
      const ColumnBlock& block = encoder.blocks()[i % columns];
      const double apart = std::abs(truth[i] - guess[order[i / columns] * columns + i % columns]);
      right += apart <= (block.categorical() ? 0 : 0.319 * block.statistics.deviation) ? 1 : 0;
    }
    best = std::max(best, right);
  } while (std::ranges::next_permutation(order).found);
  return static_cast<double>(best) / static_cast<double>(truth.size());
}

TEST(CellAccuracy, IsTheBestOverAllOrdersOfTheRows) {
  const TableEncoder encoder = people_encoder();
  for (std::size_t rows = 1; rows <= 6; ++rows) {
    for (std::size_t first = 0; first < 24; first += 3) {
      const auto truth = people_cells(first, rows);
      const auto guess = people_cells(59 - first - rows, rows);
      const CellAccuracy score = cell_accuracy(encoder, truth, guess);
      EXPECT_NEAR(score.accuracy, brute_force(encoder, truth, guess), 1e-12);
      EXPECT_NEAR(std::accumulate(score.by_column.begin(), score.by_column.end(), 0.0) / 6, score.accuracy,
                  1e-12);
      EXPECT_NEAR(
          static_cast<double>(std::ranges::count(score.right, true)) / static_cast<double>(truth.size()),
          score.accuracy, 1e-12);
      auto order = score.row_of;
      std::ranges::sort(order);
      for (std::size_t i = 0; i < rows; ++i) EXPECT_EQ(order[i], i);
    }
  }
}

TEST(CellAccuracy, TheOrderOfTheRowsDoesNotMatter) {
  const TableEncoder encoder = people_encoder();
  const auto truth = people_cells(0, 8);
  auto shuffled = truth;
  std::ranges::rotate(shuffled, shuffled.begin() + 3 * 6);
  const CellAccuracy score = cell_accuracy(encoder, truth, shuffled);
  EXPECT_EQ(score.accuracy, 1);
  EXPECT_EQ(score.row_of[0], 5U);
}

TEST(CellAccuracy, NumbersHaveATolerance) {
  const ColumnBlock age = people_encoder().blocks()[0];
  const double reach = 0.319 * age.statistics.deviation;
  EXPECT_TRUE(cells_agree(age, 40, 40 + 0.999 * reach));
  EXPECT_FALSE(cells_agree(age, 40, 40 + 1.001 * reach));
  const ColumnBlock year = people_encoder().blocks()[3];
  EXPECT_TRUE(cells_agree(year, 2023, 2023));
  EXPECT_FALSE(cells_agree(year, 2023, 2024));
}

TEST(CellAccuracy, TablesOfDifferentSizesAreRefused) {
  const TableEncoder encoder = people_encoder();
  EXPECT_THROW(cell_accuracy(encoder, people_cells(0, 2), people_cells(0, 3)), Error);
}

}  // namespace
}  // namespace earshot
