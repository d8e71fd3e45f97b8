#include "earshot/collect/privic/published_island.hpp"

#include <gmock/gmock.h>

#include "earshot/collect/estimation/adversary.hpp"
#include "earshot/collect/estimation/blahut_arimoto.hpp"
#include "earshot/collect/location/distances.hpp"
#include "earshot/core/error.hpp"
#include "earshot/data/catalogue/test_data.hpp"

namespace earshot {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(PublishedIsland, HasThePublishedMasses) {
  EARSHOT_NEEDS_DATASET("gowalla");
  const PlaceGrid grid = PlaceGrid::published(GowallaCity::kParis);
  const std::vector<double> paris =
      published_tally(load_gowalla(GowallaCity::kParis, data_directory()), grid).prior();
  const PublishedIsland island = published_island(paris, IslandMass::kPublished);
  double removed = 0;
  for (const std::size_t x : island.zone) removed += paris[x];
  EXPECT_NEAR(removed, 0.08424291, 5e-9);
  EXPECT_NEAR(island.prior[island.island], 0.01, 1e-12);
  EXPECT_NEAR(island.prior[island.crowd], 0.05289, 5e-6);
  EXPECT_NEAR(island.prior[15 + 14 - 8] - paris[15 + 14 - 8], 0.01284858, 5e-9);
  EXPECT_NEAR(published_island(paris, IslandMass::kAsWorded).prior[island.island], removed, 1e-12);
}

TEST(PublishedIsland, SelfReportsOfABlahutArimotoRow) {
  // Of another implementation: ten iterations, beta = 0.6 and 1; with 0.04 more mass from false reporters,
  // beta = 0.6.
  EARSHOT_NEEDS_DATASET("gowalla");
  const PlaceGrid grid = PlaceGrid::published(GowallaCity::kParis);
  const std::vector<double> paris =
      published_tally(load_gowalla(GowallaCity::kParis, data_directory()), grid).prior();
  const PublishedIsland island = published_island(paris, IslandMass::kPublished);
  const Distances d = distances(grid, DistanceUnit::kCells);
  const auto row = [&](const std::vector<double>& prior, double beta) {
    const BlahutArimoto mechanism(d, beta);
    return place_exposure(mechanism.channel(mechanism.run(prior, {.iterations = 10}).shape), d, island.island,
                          island.zone);
  };
  const PlaceExposure hidden = row(island.prior, 0.6);
  EXPECT_EQ(hidden.mode, island.crowd);
  EXPECT_NEAR(hidden.self, 0.0049, 5e-5);
  EXPECT_NEAR(hidden.zone, 0.0298, 5e-5);
  EXPECT_NEAR(hidden.expected_distance, 5.15, 5e-3);
  EXPECT_NEAR(row(island.prior, 1).self, 0.6650, 5e-5);
  EXPECT_NEAR(row(contaminated_prior(island.prior, island.island, 0.04 / 1.04), 0.6).self, 0.395, 5e-4);
}

TEST(PublishedIsland, LiesInParisOnly) {
  EXPECT_THAT([] { published_island(std::vector<double>(384, 1.0 / 384), IslandMass::kPublished); },
              ThrowsMessage<Error>(HasSubstr("11 x 15")));
}

}  // namespace
}  // namespace earshot
