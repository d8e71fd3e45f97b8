#include "earshot/collect/location/distances.hpp"

#include <cmath>
#include <numbers>

#include <gmock/gmock.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const PlaceGrid& paris() {
  static const PlaceGrid grid = PlaceGrid::published(GowallaCity::kParis);
  return grid;
}

TEST(Distances, CellsAreEuclideanOnRowsAndColumns) {
  const Distances inner = distances(paris(), DistanceUnit::kCells);
  EXPECT_EQ(inner(0, 0), 0);
  EXPECT_EQ(inner(0, 3 * 15 + 4), 5);
  const PlaceGrid wide = paris().widened(5);
  const Distances outer = distances(paris(), wide, DistanceUnit::kCells);
  EXPECT_EQ(outer.outputs, 21U * 25U);
  EXPECT_EQ(outer(0, 5 * 25 + 5), 0);
  EXPECT_DOUBLE_EQ(outer(0, 0), std::hypot(5, 5));
}

TEST(Distances, GreatCirclesAreRight) {
  // A quarter of the equator, pole to pole, and London to Paris (343.6 km on a sphere of this radius).
  EXPECT_NEAR(great_circle({0, 0}, {0, 90}), kEarthRadius * std::numbers::pi / 2, 1e-6);
  EXPECT_NEAR(great_circle({-90, 12}, {90, 99}), kEarthRadius * std::numbers::pi, 1e-6);
  EXPECT_NEAR(great_circle({51.5074, -0.1278}, {48.8566, 2.3522}), 343'556, 10);
}

TEST(Distances, PlaneAndSphereAgreeOnACity) {
  const Distances plane = distances(paris(), DistanceUnit::kProjectedMetres);
  const Distances sphere = distances(paris(), DistanceUnit::kGreatCircleMetres);
  for (std::size_t i = 0; i < plane.value.size(); ++i)
    EXPECT_NEAR(plane.value[i], sphere.value[i], 1e-3 * plane.value[i] + 1e-6);
  // 0.475 km x 0.483 km as the cells of Paris are usually given.
  const CellSize size = cell_size(paris(), DistanceUnit::kProjectedMetres);
  EXPECT_NEAR(size.height, 475, 1);
  EXPECT_NEAR(size.width, 483, 1);
}

TEST(Distances, AllUnitsAreMetrics) {
  for (const DistanceUnit unit :
       {DistanceUnit::kCells, DistanceUnit::kProjectedMetres, DistanceUnit::kGreatCircleMetres})
    EXPECT_NO_THROW(checked_metric(distances(paris(), unit)));
  EXPECT_NO_THROW(checked_metric(discrete_metric(4)));
  EXPECT_NO_THROW(checked_metric(discrete_metric(1)));
}

TEST(Distances, WhatIsNoMetricIsRefused) {
  const auto check = [](std::vector<double> value) {
    const auto n = static_cast<std::size_t>(std::llround(std::sqrt(static_cast<double>(value.size()))));
    checked_metric({n, n, std::move(value)});
  };
  EXPECT_THAT(
      [&] {
        check({0, 1, 5, 1, 0, 1, 5, 1, 0});
      },
      ThrowsMessage<Error>(HasSubstr("from place 0 to place 2 it is 5, but by way of 1 only 2")));
  EXPECT_THAT([&] { check({0, 1, 2, 0}); }, ThrowsMessage<Error>(HasSubstr("a metric is symmetric")));
  EXPECT_THAT(
      [&] {
        check({0, 0, 0, 0});
      },
      ThrowsMessage<Error>(HasSubstr("positive and finite between two")));
  EXPECT_THAT([&] { check({1, 1, 1, 0}); }, ThrowsMessage<Error>(HasSubstr("from place 0 to place 0 is 1")));
  EXPECT_THAT([&] { check({0, HUGE_VAL, HUGE_VAL, 0}); }, ThrowsMessage<Error>(HasSubstr("is inf")));
  EXPECT_THAT([&] { check({0, std::nan(""), std::nan(""), 0}); }, ThrowsMessage<Error>(HasSubstr("is nan")));
  EXPECT_THAT([] { checked_metric({2, 1, {0, 1}}); }, ThrowsMessage<Error>(HasSubstr("square")));
}

}  // namespace
}  // namespace earshot
