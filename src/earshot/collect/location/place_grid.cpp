#include "earshot/collect/location/place_grid.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

// A channel between as many truths and reports would have 10^10 entries.
constexpr std::size_t kMostCells = 100'000;

/// from + i * step, the last one exactly `to` if given: summing steps instead would drift.
std::vector<double> edges(double from, double step, std::size_t cells, std::optional<double> to = {}) {
  std::vector<double> all(cells + 1);
  for (std::size_t i = 0; i <= cells; ++i) all[i] = from + static_cast<double>(i) * step;
  if (to) all.back() = *to;
  return all;
}

void check_cells(std::size_t rows, std::size_t columns) {
  if (rows == 0 || columns == 0 || rows > kMostCells || columns > kMostCells || rows * columns > kMostCells)
    fail(Fault::kConfig,
         fmt::format("a grid of {} x {} cells found, allowed: 1 to {} cells", rows, columns, kMostCells));
}

/// Number of the interval (edge, next edge] that holds the value; negative below, edges.size() - 1 above.
std::ptrdiff_t interval_of(const std::vector<double>& edges, double value) {
  return std::ranges::lower_bound(edges, value) - edges.begin() - 1;
}

}  // namespace

PlaceGrid::PlaceGrid(std::vector<double> latitude_edges, std::vector<double> longitude_edges,
                     double latitude_step, double longitude_step, std::ptrdiff_t origin)
    : latitude_edges_(std::move(latitude_edges)),
      longitude_edges_(std::move(longitude_edges)),
      latitude_step_(latitude_step),
      longitude_step_(longitude_step),
      origin_(origin) {
  const GeoBox around = box();
  if (!on_the_globe(around.south, around.west) || !on_the_globe(around.north, around.east))
    fail(Fault::kConfig, fmt::format("the grid reaches from {}, {} to {}, {} (latitude, longitude), which is "
                                     "not on the globe; choose a "
                                     "smaller box or margin",
                                     around.south, around.west, around.north, around.east));
  const auto ascending = [](const std::vector<double>& edges) {
    return std::ranges::adjacent_find(edges, std::greater_equal<>()) == edges.end();
  };
  if (!ascending(latitude_edges_) || !ascending(longitude_edges_))
    fail(Fault::kConfig,
         "the box must reach from south to north and from west to east, with cells that are not empty");
}

PlaceGrid PlaceGrid::over(const GeoBox& box, std::size_t rows, std::size_t columns) {
  check_cells(rows, columns);
  const double latitude_step = (box.north - box.south) / static_cast<double>(rows);
  const double longitude_step = (box.east - box.west) / static_cast<double>(columns);
  return {edges(box.south, latitude_step, rows, box.north),
          edges(box.west, longitude_step, columns, box.east), latitude_step, longitude_step, 0};
}

PlaceGrid PlaceGrid::from_corner(const Degrees& south_west, double latitude_step, double longitude_step,
                                 std::size_t rows, std::size_t columns) {
  check_cells(rows, columns);
  return {edges(south_west.latitude, latitude_step, rows),
          edges(south_west.longitude, longitude_step, columns), latitude_step, longitude_step, 0};
}

PlaceGrid PlaceGrid::published(GowallaCity city) {
  return city == GowallaCity::kParis ? from_corner({48.8286, 2.2855}, 0.00427, 0.0066, 11, 15)
                                     : from_corner({37.7228, -122.5153}, 0.0044875, 0.005683, 16, 24);
}

GeoBox PlaceGrid::box() const {
  return {latitude_edges_.front(), longitude_edges_.front(), latitude_edges_.back(), longitude_edges_.back()};
}

std::optional<std::size_t> PlaceGrid::cell_of(double latitude, double longitude) const {
  const std::ptrdiff_t up = interval_of(latitude_edges_, latitude);
  const std::ptrdiff_t right = interval_of(longitude_edges_, longitude);
  const auto height = static_cast<std::ptrdiff_t>(rows());
  const auto width = static_cast<std::ptrdiff_t>(columns());
  if (up < 0 || up >= height || right < 0 || right >= width) return std::nullopt;
  return static_cast<std::size_t>((height - 1 - up) * width + (width - 1 - right));
}

std::size_t PlaceGrid::nearest_cell(double latitude, double longitude) const {
  const auto clamped = [](const std::vector<double>& edges, double value) {
    const auto last = static_cast<std::ptrdiff_t>(edges.size()) - 2;
    return static_cast<std::size_t>(last - std::clamp<std::ptrdiff_t>(interval_of(edges, value), 0, last));
  };
  return clamped(latitude_edges_, latitude) * columns() + clamped(longitude_edges_, longitude);
}

Degrees PlaceGrid::centre(std::size_t cell) const {
  const std::size_t up = rows() - 1 - row_of(cell);
  const std::size_t right = columns() - 1 - column_of(cell);
  return {(latitude_edges_[up] + latitude_edges_[up + 1]) / 2,
          (longitude_edges_[right] + longitude_edges_[right + 1]) / 2};
}

PlaceGrid PlaceGrid::widened(std::size_t margin) const {
  check_cells(rows() + 2 * margin, columns() + 2 * margin);
  const auto wider = [margin](const std::vector<double>& inner, double step) {
    std::vector<double> all;
    for (std::size_t i = margin; i > 0; --i) all.push_back(inner.front() - static_cast<double>(i) * step);
    all.insert(all.end(), inner.begin(), inner.end());
    for (std::size_t i = 1; i <= margin; ++i) all.push_back(inner.back() + static_cast<double>(i) * step);
    return all;
  };
  return {wider(latitude_edges_, latitude_step_), wider(longitude_edges_, longitude_step_), latitude_step_,
          longitude_step_, origin_ - static_cast<std::ptrdiff_t>(margin)};
}

std::size_t PlaceTally::empty_cells() const {
  return static_cast<std::size_t>(std::ranges::count(counts, std::size_t{0}));
}

std::vector<double> PlaceTally::prior() const {
  if (inside == 0)
    fail(Fault::kData,
         fmt::format("none of the {} check-ins lies inside the box; choose another box", outside));
  std::vector<double> shares(counts.size());
  std::ranges::transform(counts, shares.begin(), [&](std::size_t count) {
    return static_cast<double>(count) / static_cast<double>(inside);
  });
  return shares;
}

PlaceTally tally(const CheckIns& places, const PlaceGrid& grid) {
  PlaceTally result{std::vector<std::size_t>(grid.cells())};
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::optional<std::size_t> cell = grid.cell_of(places.latitude[i], places.longitude[i]);
    if (cell) ++result.counts[*cell];
    ++(cell ? result.inside : result.outside);
  }
  return result;
}

PlaceTally published_tally(const CheckIns& places, const PlaceGrid& grid) {
  PlaceTally result = tally(places, grid);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::optional<std::size_t> cell = grid.cell_of(places.latitude[i], places.longitude[i]);
    if (!cell) continue;
    --result.counts[*cell];
    --result.inside;
    break;
  }
  return result;
}

Json to_json(const PlaceGrid& grid) {
  const GeoBox box = grid.box();
  return {{"rows", grid.rows()},
          {"columns", grid.columns()},
          {"origin", grid.origin()},
          {"box", {{"south", box.south}, {"west", box.west}, {"north", box.north}, {"east", box.east}}}};
}

}  // namespace earshot
