// The places a collection speaks of: cells of a grid, or places whose distances a file lists.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "earshot/collect/location/distances.hpp"
#include "earshot/collect/location/exact_channel.hpp"
#include "earshot/collect/location/place_grid.hpp"
#include "earshot/data/formats/line_stream.hpp"

namespace earshot {

struct PlaceDomain {
  std::optional<PlaceGrid> grid;  // absent: places of a metric file
  DistanceUnit unit = DistanceUnit::kCells;
  PlaceMetric metric;

  std::size_t places() const { return metric.between_truths.inputs; }
};

PlaceDomain grid_domain(const PlaceGrid& grid, DistanceUnit unit);
/// `distances` must be a metric; what one unit of it is called.
PlaceDomain metric_domain(Distances distances, std::string unit);

/// "cells", "metres" (in the plane that touches the Earth) or "surface" (metres along it).
DistanceUnit parse_unit(std::string_view text);
/// "south,west,north,east" in degrees, or the name of a city: paris, san-francisco.
GeoBox parse_box(std::string_view text);
/// The published grid of a city by name.
std::optional<PlaceGrid> city_grid(std::string_view name);
/// "ROWSxCOLUMNS".
struct GridShape {
  std::size_t rows = 0;
  std::size_t columns = 0;
};
GridShape parse_shape(std::string_view text);
/// Square cells of that many metres from the south-west corner on, as many as cover the box.
PlaceGrid grid_of_cells(const GeoBox& box, double metres);

/// A row of numbers with commas between per place. Any matrix; `checked_metric` says whether it is a metric.
Distances read_distance_matrix(LineStream& lines);
/// A place's number per line, counted from 0.
std::vector<std::size_t> read_place_numbers(LineStream& lines, std::size_t places);

}  // namespace earshot
