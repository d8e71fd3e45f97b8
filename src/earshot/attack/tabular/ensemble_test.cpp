#include "earshot/attack/tabular/ensemble.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <gmock/gmock.h>

#include "earshot/attack/tabular/table_layout.hpp"
#include "earshot/attack/tabular/test_table.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using Members = std::vector<std::vector<double>>;

std::vector<double> rotated(std::vector<double> cells, std::size_t rows) {
  std::ranges::rotate(cells, cells.begin() + static_cast<std::ptrdiff_t>(6 * rows));
  return cells;
}

TEST(Ensemble, MembersInAnyOrderOfRowsAreOneTable) {
  for (const CategoryEncoding encoding :
       {CategoryEncoding::kOneHot, CategoryEncoding::kBinary, CategoryEncoding::kRandomBinary}) {
    const TableEncoder encoder = people_encoder(encoding);
    const auto cells = people_cells(10, 5);
    Members members;
    for (std::size_t k = 0; k < 5; ++k) members.push_back(to_records(encoder, rotated(cells, k)));
    const PooledTable pooled = match_and_pool(encoder, members, 2);
    EXPECT_EQ(pooled.cells, rotated(cells, 2));
    for (std::size_t i = 0; i < pooled.entropy.size(); ++i) {
      const bool number = i % 6 == 0 || i % 6 == 2 || i % 6 == 3;
      EXPECT_NEAR(pooled.entropy[i], number ? 0.5 + 0.5 * std::log(2 * std::numbers::pi * 1e-12) : 0, 1e-12);
    }
  }
}

TEST(Ensemble, OutliersAreVotedDown) {
  const TableEncoder encoder = people_encoder();
  const auto cells = people_cells(10, 3);
  Members members;
  for (std::size_t k = 0; k < 7; ++k) {
    auto member = cells;
    if (k < 3) member[k * 6] = 18 + static_cast<double>(k);  // an age each
    if (k >= 3 && k < 6) member[4] = 1 - member[4];          // three of seven get one sex wrong
    members.push_back(rotated(member, k % 3));
    members.back() = to_records(encoder, members.back());
  }
  EXPECT_EQ(match_and_pool(encoder, members, 0).cells, cells);
}

/// Votes 2 : 1 : 1 among five kinds of work, 3 : 1 between the sexes, ages 20, 30, 40, 50.
TEST(Ensemble, EntropiesHaveTheirClosedForms) {
  const TableEncoder encoder = people_encoder(CategoryEncoding::kBinary);
  Members members;
  const double work[] = {0, 0, 3, 4};
  for (std::size_t k = 0; k < 4; ++k) {
    const std::vector<double> row{
        20 + 10.0 * static_cast<double>(k), work[k], 30, 2023, k == 3 ? 1.0 : 0.0, 2};
    members.push_back(to_records(encoder, row));
  }
  const PooledTable pooled = match_and_pool(encoder, members, 1);
  const double s = std::sqrt(500.0 / 3) / encoder.blocks()[0].statistics.deviation;
  EXPECT_NEAR(pooled.entropy[0], 0.5 * std::log(2 * std::numbers::pi * std::numbers::e * s * s), 1e-12);
  EXPECT_NEAR(pooled.entropy[1], 1.5 * std::log(2) / std::log(5), 1e-12);
  EXPECT_NEAR(pooled.entropy[4], 2 - 0.75 * std::log2(3), 1e-12);
  EXPECT_EQ(pooled.entropy[5], 0);
  EXPECT_EQ(pooled.cells[0], 35);  // the median
}

TEST(Ensemble, NeedsItsBestMember) {
  const TableEncoder encoder = people_encoder();
  EXPECT_THROW(match_and_pool(encoder, {}, 0), Error);
  const Members members{to_records(encoder, people_cells(0, 2)), to_records(encoder, people_cells(0, 1))};
  EXPECT_THROW(match_and_pool(encoder, members, 2), Error);
  EXPECT_THROW(match_and_pool(encoder, members, 0), Error);
}

}  // namespace
}  // namespace earshot
