// Distances between places: in cells, in metres on the Earth, or any metric given as a matrix.
#pragma once

#include "earshot/collect/location/channel.hpp"
#include "earshot/collect/location/place_grid.hpp"

namespace earshot {

/// Mean radius of the Earth in metres (IUGG).
inline constexpr double kEarthRadius = 6371008.8;

/// In which unit, and along which line.
enum class DistanceUnit {
  kCells,              // Euclidean on rows and columns: the unit of Biswas & Palamidessi (2024)
  kProjectedMetres,    // Euclidean in the plane that touches the Earth at the middle of the truths' box
  kGreatCircleMetres,  // along the surface of the Earth (haversine)
};

/// From the centre of every truth's cell to the centre of every report's. `reports` must be `truths` or
/// widened from it.
Distances distances(const PlaceGrid& truths, const PlaceGrid& reports, DistanceUnit unit);
inline Distances distances(const PlaceGrid& grid, DistanceUnit unit) {
  return distances(grid, grid, unit);
}

/// Height and width of a cell in that unit, in the plane: on the surface of the Earth a cell has no one size.
struct CellSize {
  double height = 1;
  double width = 1;
};
CellSize cell_size(const PlaceGrid& truths, DistanceUnit unit);

/// Metres along the surface of the Earth (haversine formula: exact on a sphere, accurate for near points).
double great_circle(const Degrees& a, const Degrees& b);

/// The same matrix if it is a metric on its places: square, finite, 0 exactly on the diagonal, symmetric, and
/// no detour shorter than the direct way by more than rounding. Names the offending places otherwise.
Distances checked_metric(Distances metric);
/// 1 between any two places: d-privacy under it is local differential privacy.
Distances discrete_metric(std::size_t places);

}  // namespace earshot
