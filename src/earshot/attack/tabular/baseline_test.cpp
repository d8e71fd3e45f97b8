#include "earshot/attack/tabular/baseline.hpp"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>

#include "earshot/attack/tabular/cell_accuracy.hpp"
#include "earshot/attack/tabular/test_table.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

/// The share of the public values of a column that a guess gets right.
double share_right(const TableEncoder& encoder, std::size_t column, double guess) {
  static const TabularDataset table = people();
  double right = 0;
  for (std::size_t i = 0; i < kPeople; ++i)
    right += cells_agree(encoder.blocks()[column], table.features.row(i)[column], guess) ? 1 : 0;
  return right / static_cast<double>(kPeople);
}

TEST(Baseline, NoOtherCellIsLikelier) {
  const TableEncoder encoder = people_encoder();
  const TabularDataset table = people();
  const auto row = likeliest_row(encoder, table.features, everybody());
  for (std::size_t c = 0; c < 6; ++c) {
    double best = 0;
    for (std::size_t i = 0; i < kPeople; ++i) {
      for (std::size_t j = 0; j < kPeople; ++j) {
        const double a = table.features.row(i)[c];
        const double b = table.features.row(j)[c];
        best = std::max(best,
                        share_right(encoder, c, encoder.blocks()[c].categorical() ? a : a + 0.5 * (b - a)));
      }
    }
    EXPECT_EQ(share_right(encoder, c, row[c]), best) << c;
  }
}

TEST(Baseline, OfOneRowIsTheShareOfItsCells) {
  const TableEncoder encoder = people_encoder();
  const TabularDataset table = people();
  double sum = 0;
  double expected = 0;
  const auto row = likeliest_row(encoder, table.features, everybody());
  for (std::size_t c = 0; c < 6; ++c) expected += share_right(encoder, c, row[c]) / 6;
  for (std::size_t i = 0; i < kPeople; ++i)
    sum += prior_baseline(encoder, table.features, everybody(), people_cells(i, 1)) /
           static_cast<double>(kPeople);
  EXPECT_NEAR(sum, expected, 1e-12);
}

/// The mean accuracy against one row is the mean chance of its cells; with 4,000 draws of six cells its
/// deviation is below 0.5 / sqrt(24,000) = 0.0032, so that 0.02 is missed with a chance below 1e-9.
TEST(Baseline, DrawsEveryCellFromItsColumn) {
  const TableEncoder encoder = people_encoder();
  const auto truth = people_cells(7, 1);
  double expected = 0;
  for (std::size_t c = 0; c < 6; ++c) expected += share_right(encoder, c, truth[c]) / 6;
  Stream stream({5, Purpose::kTest});
  const Summary found = random_baseline(encoder, people().features, everybody(), truth, 4000, stream);
  EXPECT_NEAR(found.mean, expected, 0.02);
  EXPECT_EQ(found.count, 4000U);
}

TEST(Baseline, CellsOfARowAreDrawnApart) {
  TabularDataset table = people();
  Stream stream({6, Purpose::kTest});
  const std::vector<std::size_t> two{0, 1};
  for (std::size_t c = 0; c < 6; ++c) {
    table.features.values[c] = 0;
    table.features.values[6 + c] = 1;
  }
  const auto cells = draw_marginals(table.features, two, 200, stream);
  std::size_t mixed = 0;
  for (std::size_t r = 0; r < 200; ++r) {
    const double sum = std::accumulate(cells.begin() + static_cast<std::ptrdiff_t>(6 * r),
                                       cells.begin() + static_cast<std::ptrdiff_t>(6 * r + 6), 0.0);
    mixed += sum > 0 && sum < 6 ? 1 : 0;
  }
  EXPECT_GT(mixed, 150U);  // 31/32 of them are; fewer than 151 have a chance below 1e-20
}

TEST(Baseline, NeedsPublicRowsAndDraws) {
  const TableEncoder encoder = people_encoder();
  const TabularDataset table = people();
  Stream stream({6, Purpose::kTest});
  EXPECT_THROW(likeliest_row(encoder, table.features, {}), Error);
  EXPECT_THROW(draw_marginals(table.features, {}, 1, stream), Error);
  EXPECT_THROW(random_baseline(encoder, table.features, everybody(), people_cells(0, 1), 0, stream), Error);
}

}  // namespace
}  // namespace earshot
