#include "earshot/collect/location/place_grid.hpp"

#include <algorithm>
#include <numeric>

#include <gmock/gmock.h>

#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"
#include "earshot/data/catalogue/test_data.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::vector<std::size_t> row_counts(const PlaceTally& places, const PlaceGrid& grid) {
  std::vector<std::size_t> sums(grid.rows());
  for (std::size_t cell = 0; cell < grid.cells(); ++cell) sums[grid.row_of(cell)] += places.counts[cell];
  return sums;
}

/// Every check-in inside the box must get the published cell, in order.
void expect_published_cells(GowallaCity city) {
  const CheckIns places = load_gowalla(city, data_directory());
  const std::vector<GridCell> published = load_gowalla_cells(city, data_directory());
  const PlaceGrid grid = PlaceGrid::published(city);
  std::vector<GridCell> ours;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (const auto cell = grid.cell_of(places.latitude[i], places.longitude[i]))
      ours.emplace_back(grid.row_of(*cell), grid.column_of(*cell));
  }
  EXPECT_EQ(ours, published);
}

TEST(PlaceGrid, ParisHasThePublishedCells) {
  EARSHOT_NEEDS_DATASET("gowalla");
  expect_published_cells(GowallaCity::kParis);
  const PlaceGrid grid = PlaceGrid::published(GowallaCity::kParis);
  const CheckIns places = load_gowalla(GowallaCity::kParis, data_directory());
  const PlaceTally counted = tally(places, grid);
  EXPECT_THAT(row_counts(counted, grid),
              ElementsAre(1486, 1554, 1167, 1424, 1165, 1327, 405, 357, 412, 169, 613));
  EXPECT_EQ(counted.inside, 10079U);
  EXPECT_EQ(counted.outside, 10991U - 10079U);
  const PlaceTally published = published_tally(places, grid);
  EXPECT_EQ(published.inside, 10078U);
  EXPECT_EQ(published.empty_cells(), 7U);
  const std::vector<double> prior = published.prior();
  EXPECT_EQ(std::ranges::max_element(prior) - prior.begin(), 52);
  EXPECT_NEAR(prior[52], 0.05289, 5e-6);
}

TEST(PlaceGrid, SanFranciscoHasThePublishedCells) {
  EARSHOT_NEEDS_DATASET("gowalla");
  expect_published_cells(GowallaCity::kSanFrancisco);
  const PlaceGrid grid = PlaceGrid::published(GowallaCity::kSanFrancisco);
  const CheckIns places = load_gowalla(GowallaCity::kSanFrancisco, data_directory());
  const PlaceTally counted = tally(places, grid);
  EXPECT_THAT(row_counts(counted, grid), ElementsAre(9772, 24634, 25259, 12966, 9694, 9226, 9512, 8423, 3591,
                                                     3753, 1443, 1475, 949, 1094, 650, 585));
  EXPECT_EQ(counted.outside, 0U);
  const PlaceTally published = published_tally(places, grid);
  EXPECT_EQ(published.inside, 123025U);
  EXPECT_EQ(published.empty_cells(), 50U);
  EXPECT_NEAR(published.prior()[52], 0.06850, 5e-6);
}

TEST(PlaceGrid, CellsAreHalfOpen) {
  const PlaceGrid grid = PlaceGrid::over({.south = 0, .west = 0, .north = 2, .east = 3}, 2, 3);
  EXPECT_EQ(grid.cell_of(2, 3), 0U);
  EXPECT_EQ(grid.cell_of(1.5, 2), 1U);
  EXPECT_EQ(grid.cell_of(1, 1), 5U);
  EXPECT_EQ(grid.cell_of(0, 1), std::nullopt);
  EXPECT_EQ(grid.cell_of(1, 0), std::nullopt);
  EXPECT_EQ(grid.cell_of(2.0000001, 1), std::nullopt);
  EXPECT_EQ(grid.nearest_cell(9, 9), 0U);
  EXPECT_EQ(grid.nearest_cell(-9, 0.5), 5U);
  EXPECT_EQ(grid.nearest_cell(1.2, -7), 2U);
}

TEST(PlaceGrid, EveryPointInsideLiesInTheNearestCell) {
  const PlaceGrid grid = PlaceGrid::over({.south = 48.1, .west = -3.7, .north = 49.3, .east = 2.9}, 7, 5);
  Stream stream(StreamName{.seed = 11});
  for (int i = 0; i < 2000; ++i) {
    const double latitude = 48.1 + 1.2 * stream.uniform();
    const double longitude = -3.7 + 6.6 * stream.uniform();
    const auto cell = grid.cell_of(latitude, longitude);
    if (!cell) continue;
    EXPECT_EQ(*cell, grid.nearest_cell(latitude, longitude));
    EXPECT_LE(std::abs(grid.centre(*cell).latitude - latitude), grid.latitude_step() / 2 + 1e-12);
    EXPECT_LE(std::abs(grid.centre(*cell).longitude - longitude), grid.longitude_step() / 2 + 1e-12);
  }
  for (std::size_t cell = 0; cell < grid.cells(); ++cell)
    EXPECT_EQ(grid.cell_of(grid.centre(cell).latitude, grid.centre(cell).longitude), cell);
}

TEST(PlaceGrid, AWidenedGridKeepsItsCells) {
  const PlaceGrid inner = PlaceGrid::published(GowallaCity::kSanFrancisco);
  const PlaceGrid outer = inner.widened(5);
  EXPECT_EQ(outer.rows(), 26U);
  EXPECT_EQ(outer.columns(), 34U);
  EXPECT_EQ(outer.origin(), -5);
  for (std::size_t cell = 0; cell < inner.cells(); ++cell) {
    const Degrees centre = inner.centre(cell);
    EXPECT_EQ(outer.cell_of(centre.latitude, centre.longitude),
              (inner.row_of(cell) + 5) * outer.columns() + inner.column_of(cell) + 5);
  }
}

TEST(PlaceGrid, OneCellAndNoCheckInsByRule) {
  const PlaceGrid one = PlaceGrid::over({.south = 0, .west = 0, .north = 1, .east = 1}, 1, 1);
  CheckIns places;
  places.add(0.5, 0.5);
  places.add(7, 7);
  const PlaceTally counted = tally(places, one);
  EXPECT_THAT(counted.prior(), ElementsAre(1.0));
  EXPECT_EQ(counted.outside, 1U);
  CheckIns elsewhere;
  elsewhere.add(7, 7);
  EXPECT_THAT([&] { tally(elsewhere, one).prior(); },
              ThrowsMessage<Error>(HasSubstr("none of the 1 check-ins lies inside the box")));
}

TEST(PlaceGrid, ImpossibleBoxesAreRefused) {
  const GeoBox box{.south = 0, .west = 0, .north = 1, .east = 1};
  EXPECT_THROW(PlaceGrid::over(box, 0, 3), Error);
  EXPECT_THROW(PlaceGrid::over(box, 1000, 1000), Error);
  EXPECT_THROW(PlaceGrid::over({.south = 1, .west = 0, .north = 0, .east = 1}, 2, 2), Error);
  EXPECT_THROW(PlaceGrid::over({.south = 0, .west = 170, .north = 1, .east = 190}, 2, 2), Error);
  EXPECT_THROW(PlaceGrid::over({.south = 0, .west = std::nan(""), .north = 1, .east = 1}, 2, 2), Error);
  EXPECT_THROW(PlaceGrid::over({.south = 80, .west = 0, .north = 90, .east = 1}, 2, 2).widened(1), Error);
}

}  // namespace
}  // namespace earshot
