#include "earshot/attack/tabular/marginal_fallback.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "earshot/attack/tabular/baseline.hpp"
#include "earshot/attack/tabular/cell_accuracy.hpp"
#include "earshot/attack/tabular/test_table.hpp"

namespace earshot {
namespace {

/// Shares counted by hand; a standardised column of everybody has deviation 1 but for the sample's n - 1.
TEST(MarginalFallback, EntropiesOfColumnsAreThoseOfTheirRows) {
  const TableEncoder encoder = people_encoder();
  const auto cells = people_cells(0, kPeople);
  const auto found = marginal_entropies(encoder, people().features, everybody());
  double women = 0;
  for (std::size_t r = 0; r < kPeople; ++r) women += cells[r * 6 + 4] == 0 ? 1.0 / kPeople : 0;
  const double expected = -(women * std::log2(women) + (1 - women) * std::log2(1 - women));
  EXPECT_NEAR(found[4], expected, 1e-12);
  const double unit = 0.5 + 0.5 * std::log(2 * M_PI);
  EXPECT_NEAR(found[0], unit + 0.5 * std::log(kPeople / (kPeople - 1.0)), 1e-12);
  EXPECT_LT(found[3], -10) << "a constant";
}

TEST(MarginalFallback, OnlyCellsOnWhichMembersDisagreeMoreAreReplaced) {
  const TableEncoder encoder = people_encoder();
  const NumericTable features = people().features;
  const auto limits = marginal_entropies(encoder, features, everybody());
  const auto likeliest = likeliest_row(encoder, features, everybody());
  PooledTable pooled{{18, 4, 20, 2023, 0, 1, 18, 4, 20, 2023, 0, 1}, {}};
  for (std::size_t i = 0; i < 12; ++i) pooled.entropy.push_back(limits[i % 6] + (i < 6 ? 1e-9 : -1e-9));
  const auto cells = with_marginals(encoder, pooled, features, everybody());
  for (std::size_t c = 0; c < 6; ++c) {
    EXPECT_EQ(cells[c], likeliest[c]);
    EXPECT_EQ(cells[6 + c], pooled.cells[6 + c]);
  }
}

/// Members that know nothing vote for anything; the column's own share is the better guess.
TEST(MarginalFallback, MembersThatKnowNothingAreNotBelieved) {
  const TableEncoder encoder = people_encoder();
  const NumericTable features = people().features;
  const auto truth = people_cells(10, 20);
  Stream stream({2, Purpose::kTest, 8});
  std::vector<std::vector<double>> members(9);
  for (auto& member : members) {
    member.resize(20 * encoder.width());
    stream.fill_normal(member, 1.5);
  }
  const PooledTable pooled = match_and_pool(encoder, members, 0);
  const double believed = cell_accuracy(encoder, truth, pooled.cells).accuracy;
  const double fallen_back =
      cell_accuracy(encoder, truth, with_marginals(encoder, pooled, features, everybody())).accuracy;
  EXPECT_GT(fallen_back, believed);
}

}  // namespace
}  // namespace earshot
