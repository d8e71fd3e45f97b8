// A rectangular grid of cells over a bounding box in degrees: the finite set of places a report can name.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "earshot/core/json.hpp"
#include "earshot/data/places/check_ins.hpp"
#include "earshot/data/places/gowalla.hpp"

namespace earshot {

struct Degrees {
  double latitude = 0;
  double longitude = 0;
};

struct GeoBox {
  double south = 0;
  double west = 0;
  double north = 0;
  double east = 0;
};

/// Cells are half-open, (lower, upper] in latitude and in longitude, so that every point lies in at most one.
/// They are numbered row by row from the north-east corner: row 0 is the northernmost, column 0 the
/// easternmost, as in the published grids of Biswas & Palamidessi (2024). A box must not cross the
/// antimeridian.
class PlaceGrid {
 public:
  /// The box cut into rows x columns equal cells.
  static PlaceGrid over(const GeoBox& box, std::size_t rows, std::size_t columns);
  /// Cells of that size in degrees, from the south-west corner on.
  static PlaceGrid from_corner(const Degrees& south_west, double latitude_step, double longitude_step,
                               std::size_t rows, std::size_t columns);
  /// The grid behind the published results on Gowalla: 11 x 15 cells for Paris, 16 x 24 for San Francisco.
  static PlaceGrid published(GowallaCity city);

  std::size_t rows() const { return latitude_edges_.size() - 1; }
  std::size_t columns() const { return longitude_edges_.size() - 1; }
  std::size_t cells() const { return rows() * columns(); }
  std::size_t row_of(std::size_t cell) const { return cell / columns(); }
  std::size_t column_of(std::size_t cell) const { return cell % columns(); }
  GeoBox box() const;
  double latitude_step() const { return latitude_step_; }
  double longitude_step() const { return longitude_step_; }

  /// The cell a point lies in, if any.
  std::optional<std::size_t> cell_of(double latitude, double longitude) const;
  /// The cell nearest to a point, row and column each: border cells also own what lies beyond them.
  std::size_t nearest_cell(double latitude, double longitude) const;
  Degrees centre(std::size_t cell) const;

  /// The same cells with `margin` more on every side. It must stay on the globe.
  PlaceGrid widened(std::size_t margin) const;
  /// Row and column of this grid's cell 0 in the grid it was widened from: minus the margin.
  std::ptrdiff_t origin() const { return origin_; }

 private:
  PlaceGrid(std::vector<double> latitude_edges, std::vector<double> longitude_edges, double latitude_step,
            double longitude_step, std::ptrdiff_t origin);

  std::vector<double> latitude_edges_;  // ascending
  std::vector<double> longitude_edges_;
  double latitude_step_;
  double longitude_step_;
  std::ptrdiff_t origin_;
};

/// Rows, columns, origin and box, as documents hold them.
Json to_json(const PlaceGrid& grid);

/// How many check-ins lie in every cell, and how many in none.
struct PlaceTally {
  std::vector<std::size_t> counts;
  std::size_t inside = 0;
  std::size_t outside = 0;

  std::size_t empty_cells() const;
  /// Shares of the check-ins inside; cells without any have exactly 0. Fails when none lies inside.
  std::vector<double> prior() const;
};
PlaceTally tally(const CheckIns& places, const PlaceGrid& grid);
/// The tally behind the published results: the first check-in inside the box is missing, because the
/// published scripts read it as a header (10,078 and 123,025 remain).
PlaceTally published_tally(const CheckIns& places, const PlaceGrid& grid);

}  // namespace earshot
