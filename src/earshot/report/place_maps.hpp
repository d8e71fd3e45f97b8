// What a report draws of a collection of places: shares and exposure by cell of a grid.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "earshot/core/json.hpp"

namespace earshot {

namespace parts {
struct Part;
}

/// Cells over a box in degrees, row by row from the north-east corner.
struct MapGrid {
  std::size_t rows = 0, columns = 0;
  double south = 0, west = 0, north = 0, east = 0;
  std::size_t cells() const { return rows * columns; }
};

/// What was collected through one mechanism. Lists that the document does not hold are empty.
struct CollectedMaps {
  std::string name;
  std::optional<double> distance;  // earth mover's, from estimate to truth, in cells
  MapGrid report_grid;             // wider than the places where noise may fall beyond them
  std::vector<double> reports;     // shares by the cell reported
  std::vector<double> estimate;    // shares by place
  std::vector<double> self_report;
  std::vector<std::optional<double>> epsilon;  // of each place against all others; nullopt: unbounded
};

struct PlaceMaps {
  MapGrid grid;
  std::vector<double> truth;
  std::vector<CollectedMaps> collections;
};

/// The `places` of a cell. Throws Error(kData) unless every list fits its grid.
PlaceMaps read_place_maps(const parts::Part& part);

/// As the page's script reads it (assets/maps.js).
Json place_maps_view(const PlaceMaps& maps);

}  // namespace earshot
