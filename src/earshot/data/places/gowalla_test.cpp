#include "earshot/data/places/gowalla.hpp"

#include <algorithm>

#include <gmock/gmock.h>

#include "earshot/data/catalogue/test_data.hpp"

namespace earshot {
namespace {

// Counts and ranges as an independent reading of the same files found them.
TEST(Gowalla, ParisIsComplete) {
  EARSHOT_NEEDS_DATASET("gowalla");
  const CheckIns paris = load_gowalla(GowallaCity::kParis, data_directory());
  EXPECT_EQ(paris.size(), 10991U);
  EXPECT_EQ(paris.skipped, CheckIns::Skipped{});
  EXPECT_DOUBLE_EQ(paris.latitude.front(), 48.86337875);
  EXPECT_DOUBLE_EQ(paris.longitude.front(), 2.333328717);
  EXPECT_NEAR(*std::ranges::min_element(paris.latitude), 48.82862, 1e-5);
  EXPECT_NEAR(*std::ranges::max_element(paris.longitude), 2.39050, 1e-5);
  const std::vector<GridCell> cells = load_gowalla_cells(GowallaCity::kParis, data_directory());
  EXPECT_EQ(cells.size(), 10079U);
  EXPECT_EQ(cells.front(), GridCell(2, 7));
}

TEST(Gowalla, SanFranciscoIsComplete) {
  EARSHOT_NEEDS_DATASET("gowalla");
  const CheckIns city = load_gowalla(GowallaCity::kSanFrancisco, data_directory());
  EXPECT_EQ(city.size(), 123026U);
  EXPECT_NEAR(*std::ranges::min_element(city.longitude), -122.51425, 1e-5);
  EXPECT_NEAR(*std::ranges::max_element(city.latitude), 37.79460, 1e-5);
  EXPECT_EQ(load_gowalla_cells(GowallaCity::kSanFrancisco, data_directory()).size(), 123026U);
}

}  // namespace
}  // namespace earshot
