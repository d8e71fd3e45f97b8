#include "earshot/collect/estimation/earth_mover.hpp"

#include <algorithm>
#include <numeric>

#include <gmock/gmock.h>

#include "earshot/collect/estimation/distribution.hpp"
#include "earshot/collect/estimation/test_mixtures.hpp"
#include "earshot/collect/location/distances.hpp"
#include "earshot/core/error.hpp"
#include "earshot/data/catalogue/test_data.hpp"

namespace earshot {
namespace {

using ::earshot::testing::grid_metric;
using ::earshot::testing::random_distribution;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(EarthMover, OnALineIsTheAreaBetweenTheCumulatedShares) {
  Stream stream({1, Purpose::kTest});
  const Distances line = grid_metric(1, 30);
  for (int repetition = 0; repetition < 20; ++repetition) {
    const std::vector<double> a = random_distribution(30, stream, 0.3);
    const std::vector<double> b = random_distribution(30, stream, 0.3);
    double ahead = 0;
    double area = 0;
    for (std::size_t i = 0; i < 30; ++i) area += std::abs(ahead += a[i] - b[i]);
    const TransportCost cost = earth_movers_distance(a, b, line);
    EXPECT_NEAR(cost.distance, area, 1e-10);
    EXPECT_NEAR(cost.lower_bound, area, 1e-10);
  }
}

TEST(EarthMover, OfEqualMassesIsTheBestAssignment) {
  Stream stream({2, Purpose::kTest});
  const std::size_t size = 6;
  const std::vector<double> equal = uniform_distribution(size);
  for (int repetition = 0; repetition < 10; ++repetition) {
    Distances cost{size, size, std::vector<double>(size * size)};
    for (double& d : cost.value) d = stream.uniform();
    std::vector<std::size_t> order(size);
    std::iota(order.begin(), order.end(), std::size_t{0});
    double best = HUGE_VAL;
    do {
      double sum = 0;
      for (std::size_t i = 0; i < size; ++i) sum += cost(i, order[i]) / static_cast<double>(size);
      best = std::min(best, sum);
    } while (std::ranges::next_permutation(order).found);
    EXPECT_NEAR(earth_movers_distance(equal, equal, cost, GroundCost::kAny).distance, best, 1e-12);
  }
}

TEST(EarthMover, IsAMetricAndIgnoresWhatStays) {
  Stream stream({3, Purpose::kTest});
  const Distances d = grid_metric(4, 5);
  for (int repetition = 0; repetition < 20; ++repetition) {
    const std::vector<double> a = random_distribution(20, stream, 0.5);
    const std::vector<double> b = random_distribution(20, stream, 0.5);
    const std::vector<double> c = random_distribution(20, stream, 0.5);
    const double ab = earth_movers_distance(a, b, d).distance;
    EXPECT_NEAR(ab, earth_movers_distance(b, a, d).distance, 1e-11);
    EXPECT_NEAR(ab, earth_movers_distance(a, b, d, GroundCost::kAny).distance, 1e-11);
    EXPECT_LE(ab, earth_movers_distance(a, c, d).distance + earth_movers_distance(c, b, d).distance + 1e-11);
    EXPECT_GE(ab + 1e-11, total_variation(a, b));  // whatever moves, moves at least one cell
    EXPECT_EQ(earth_movers_distance(a, a, d).distance, 0);
  }
}

TEST(EarthMover, PublishedDistancesToTheUniform) {
  // Row 1 of Tables B.1 and B.2 (2.02262 and 7.37595 there; the second in its last digits is no rounding).
  EARSHOT_NEEDS_DATASET("gowalla");
  for (const auto& [city, expected] :
       {std::pair{GowallaCity::kParis, 2.022618}, std::pair{GowallaCity::kSanFrancisco, 7.376104}}) {
    const PlaceGrid grid = PlaceGrid::published(city);
    const std::vector<double> prior = published_tally(load_gowalla(city, data_directory()), grid).prior();
    EXPECT_NEAR(earth_movers_distance(uniform_distribution(grid.cells()), prior,
                                      distances(grid, DistanceUnit::kCells))
                    .distance,
                expected, 6e-7);
  }
}

TEST(EarthMover, SinkhornComesFromAboveWithTruePrices) {
  Stream stream({4, Purpose::kTest});
  const Distances d = grid_metric(5, 6);
  for (int repetition = 0; repetition < 2; ++repetition) {
    const std::vector<double> a = random_distribution(30, stream, 0.2);
    const std::vector<double> b = random_distribution(30, stream, 0.2);
    const double exact = earth_movers_distance(a, b, d).distance;
    double before = HUGE_VAL;
    for (const double weight : {1.0, 0.3, 0.1, 0.03}) {
      const SinkhornCost cost =
          sinkhorn_distance(a, b, d, {.regularisation = weight, .iterations = 4000, .tolerance = 1e-7});
      EXPECT_GE(cost.distance, exact - 1e-9);
      EXPECT_LE(cost.lower_bound, exact + 1e-9);
      EXPECT_LT(cost.distance, before);
      before = cost.distance;
    }
    EXPECT_NEAR(before, exact, 1e-2 * exact);
  }
}

TEST(EarthMover, ByRule) {
  const Distances one{1, 1, {0}};
  EXPECT_EQ(earth_movers_distance(std::vector{1.0}, std::vector{1.0}, one).distance, 0);
  EXPECT_EQ(sinkhorn_distance(std::vector{1.0}, std::vector{1.0}, one, {}).distance, 0);
  const Distances d = grid_metric(1, 2);
  const std::vector<double> half{0.5, 0.5};
  EXPECT_THAT([&] { earth_movers_distance(half, std::vector{1.0}, d); },
              ThrowsMessage<Error>(HasSubstr("to carry to")));
  EXPECT_THAT(
      [&] {
        earth_movers_distance(half, half, {2, 2, {1, 1, 1, 1}});
      },
      ThrowsMessage<Error>(HasSubstr("not a metric")));
  EXPECT_THAT(
      [&] {
        earth_movers_distance(half, half, {2, 2, {0, -1, 1, 0}});
      },
      ThrowsMessage<Error>(HasSubstr("at least 0")));
  EXPECT_THAT([&] { sinkhorn_distance(half, half, d, {.regularisation = 0}); },
              ThrowsMessage<Error>(HasSubstr("above 0")));
}

}  // namespace
}  // namespace earshot
