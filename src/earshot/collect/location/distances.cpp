#include "earshot/collect/location/distances.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/parallel.hpp"

namespace earshot {
namespace {

constexpr double kRadians = std::numbers::pi / 180;
// Distances computed in floating point may break the triangle inequality by a few units in the last place.
constexpr double kRounding = 1e-12;

/// Euclidean distances of lattice points, exact in rows and columns so that equal offsets give equal
/// distances.
Distances lattice_distances(const PlaceGrid& truths, const PlaceGrid& reports, const CellSize& size) {
  Distances all{truths.cells(), reports.cells(), std::vector<double>(truths.cells() * reports.cells())};
  const auto offset = static_cast<double>(reports.origin() - truths.origin());
  for (std::size_t x = 0; x < all.inputs; ++x) {
    for (std::size_t y = 0; y < all.outputs; ++y) {
      const double down =
          static_cast<double>(reports.row_of(y)) + offset - static_cast<double>(truths.row_of(x));
      const double left =
          static_cast<double>(reports.column_of(y)) + offset - static_cast<double>(truths.column_of(x));
      all.value[x * all.outputs + y] = std::hypot(down * size.height, left * size.width);
    }
  }
  return all;
}

void check_entries(const Distances& metric) {
  const std::size_t n = metric.inputs;
  if (n == 0 || metric.outputs != n || metric.value.size() != n * n)
    fail(Fault::kData, "a metric must be a square table with a row and a column per place");
  for (std::size_t x = 0; x < n; ++x) {
    for (std::size_t y = 0; y < n; ++y) {
      const double d = metric(x, y);
      if (!std::isfinite(d) || d < 0 || (d == 0) != (x == y))
        fail(Fault::kData,
             fmt::format("the distance from place {} to place {} is {}: it must be 0 from a place to "
                         "itself, and positive and finite between two",
                         x, y, d));
      if (std::abs(d - metric(y, x)) > kRounding * d)
        fail(Fault::kData,
             fmt::format("the distance from place {} to place {} is {} and the way back {}: a metric is "
                         "symmetric",
                         x, y, d, metric(y, x)));
    }
  }
}

/// Row x of the metric against every detour.
void check_triangles(const Distances& metric, std::size_t x) {
  const std::size_t n = metric.inputs;
  const double* direct = metric.row(x).data();
  for (std::size_t z = 0; z < n; ++z) {
    const double* onward = metric.row(z).data();
    const double first = direct[z];
    for (std::size_t y = 0; y < n; ++y) {
      if (direct[y] * (1 - kRounding) > first + onward[y])
        fail(Fault::kData,
             fmt::format("from place {} to place {} it is {}, but by way of {} only {}: a metric has no "
                         "shorter detours",
                         x, y, direct[y], z, first + onward[y]));
    }
  }
}

}  // namespace

double great_circle(const Degrees& a, const Degrees& b) {
  const double up = std::sin((b.latitude - a.latitude) * kRadians / 2);
  const double across = std::sin((b.longitude - a.longitude) * kRadians / 2);
  const double h =
      up * up + std::cos(a.latitude * kRadians) * std::cos(b.latitude * kRadians) * across * across;
  return 2 * kEarthRadius * std::asin(std::sqrt(std::min(1.0, h)));
}

CellSize cell_size(const PlaceGrid& truths, DistanceUnit unit) {
  if (unit == DistanceUnit::kCells) return {1, 1};
  if (unit == DistanceUnit::kGreatCircleMetres)
    fail(Fault::kConfig,
         "cells have no one size along the surface of the Earth; use cells or projected metres");
  const GeoBox box = truths.box();
  return {
      kEarthRadius * kRadians * truths.latitude_step(),
      kEarthRadius * kRadians * truths.longitude_step() * std::cos((box.south + box.north) / 2 * kRadians)};
}

Distances distances(const PlaceGrid& truths, const PlaceGrid& reports, DistanceUnit unit) {
  if (unit != DistanceUnit::kGreatCircleMetres)
    return lattice_distances(truths, reports, cell_size(truths, unit));
  Distances all{truths.cells(), reports.cells(), std::vector<double>(truths.cells() * reports.cells())};
  for (std::size_t x = 0; x < all.inputs; ++x)
    for (std::size_t y = 0; y < all.outputs; ++y)
      all.value[x * all.outputs + y] = great_circle(truths.centre(x), reports.centre(y));
  return all;
}

Distances checked_metric(Distances metric) {
  check_entries(metric);
  parallel_for(metric.inputs, [&](std::size_t x) { check_triangles(metric, x); });
  return metric;
}

Distances discrete_metric(std::size_t places) {
  Distances metric{places, places, std::vector<double>(places * places, 1.0)};
  for (std::size_t x = 0; x < places; ++x) metric.value[x * places + x] = 0;
  return metric;
}

}  // namespace earshot
