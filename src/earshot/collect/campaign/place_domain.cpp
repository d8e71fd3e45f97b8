#include "earshot/collect/campaign/place_domain.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/text.hpp"
#include "earshot/data/formats/plain_text.hpp"
#include "earshot/data/formats/text_lines.hpp"

namespace earshot {
namespace {

// A matrix of as many places has 10^8 entries.
constexpr std::size_t kMostPlaces = 10'000;

std::string unit_name(DistanceUnit unit) {
  switch (unit) {
    case DistanceUnit::kCells:
      return "cell";
    case DistanceUnit::kProjectedMetres:
      return "metre";
    case DistanceUnit::kGreatCircleMetres:
      return "metre along the surface of the Earth";
  }
  return {};
}

std::optional<std::size_t> whole_number(std::string_view text) {
  std::size_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

}  // namespace

PlaceDomain grid_domain(const PlaceGrid& grid, DistanceUnit unit) {
  if (grid.cells() > kMostPlaces)
    fail(Fault::kConfig,
         fmt::format("{} cells are too many for a channel between all of them, allowed: up to "
                     "{}; choose larger cells",
                     grid.cells(), kMostPlaces));
  return {grid, unit, {distances(grid, unit), unit_name(unit)}};
}

PlaceDomain metric_domain(Distances distances, std::string unit) {
  return {{}, DistanceUnit::kCells, {checked_metric(std::move(distances)), std::move(unit)}};
}

DistanceUnit parse_unit(std::string_view text) {
  const std::vector<std::string> names{"cells", "metres", "surface"};
  const auto found = std::ranges::find(names, text);
  if (found == names.end())
    fail(Fault::kUsage,
         fmt::format("no unit of distance is called {}; {}", in_quotes(text), suggest(text, names)));
  return std::array{DistanceUnit::kCells, DistanceUnit::kProjectedMetres,
                    DistanceUnit::kGreatCircleMetres}[static_cast<std::size_t>(found - names.begin())];
}

std::optional<PlaceGrid> city_grid(std::string_view name) {
  if (name == "paris") return PlaceGrid::published(GowallaCity::kParis);
  if (name == "san-francisco") return PlaceGrid::published(GowallaCity::kSanFrancisco);
  return {};
}

GeoBox parse_box(std::string_view text) {
  if (const auto grid = city_grid(text)) return grid->box();
  const std::vector<std::string_view> pieces = split(text, ',');
  std::vector<double> degrees;
  for (const std::string_view piece : pieces)
    if (const auto value = parse_finite(trim(piece))) degrees.push_back(*value);
  if (pieces.size() != 4 || degrees.size() != 4)
    fail(Fault::kUsage,
         fmt::format("the box {} is not understood; write south,west,north,east in degrees, for example "
                     "48.82,2.28,48.88,2.39, or paris or san-francisco",
                     in_quotes(text)));
  const GeoBox box{degrees[0], degrees[1], degrees[2], degrees[3]};
  if (!on_the_globe(box.south, box.west) || !on_the_globe(box.north, box.east) || box.south >= box.north ||
      box.west >= box.east)
    fail(Fault::kUsage,
         fmt::format("the box {} must reach from south to north and from west to east on the globe; "
                     "the order is south,west,north,east",
                     in_quotes(text)));
  return box;
}

GridShape parse_shape(std::string_view text) {
  const std::vector<std::string_view> pieces = split(text, 'x');
  const auto rows = pieces.size() == 2 ? whole_number(pieces[0]) : std::nullopt;
  const auto columns = pieces.size() == 2 ? whole_number(pieces[1]) : std::nullopt;
  if (!rows || !columns || *rows == 0 || *columns == 0 || *rows > kMostPlaces || *columns > kMostPlaces)
    fail(Fault::kUsage, fmt::format("the grid {} is not understood; write ROWSxCOLUMNS, for example 11x15",
                                    in_quotes(text)));
  return {*rows, *columns};
}

PlaceGrid grid_of_cells(const GeoBox& box, double metres) {
  if (!(metres > 0) || !std::isfinite(metres))
    fail(Fault::kUsage, "the size of a cell must be a positive number of metres");
  const CellSize whole = cell_size(PlaceGrid::over(box, 1, 1), DistanceUnit::kProjectedMetres);
  // A whisker less, so that a box of exactly three cells has three.
  const double rows = std::ceil(whole.height / metres - 1e-9);
  const double columns = std::ceil(whole.width / metres - 1e-9);
  if (!(rows * columns <= static_cast<double>(kMostPlaces)))
    fail(Fault::kUsage,
         fmt::format("cells of {} m are too small: the box would have {:.0f} x {:.0f} of them, "
                     "allowed: up to {}",
                     metres, rows, columns, kMostPlaces));
  return PlaceGrid::from_corner({box.south, box.west}, (box.north - box.south) * metres / whole.height,
                                (box.east - box.west) * metres / whole.width,
                                static_cast<std::size_t>(std::max(1.0, rows)),
                                static_cast<std::size_t>(std::max(1.0, columns)));
}

Distances read_distance_matrix(LineStream& lines) {
  Distances matrix;
  for (std::string_view line; lines.next(line); ++matrix.inputs) {
    const std::vector<std::string_view> cells = split(line, ',');
    if (matrix.inputs == 0) matrix.outputs = cells.size();
    if (cells.size() != matrix.outputs)
      lines.refuse(fmt::format("{} distances found, expected {}", cells.size(), matrix.outputs));
    if (matrix.inputs == kMostPlaces) lines.refuse(fmt::format("more than {} places", kMostPlaces));
    for (const std::string_view cell : cells) {
      const std::optional<double> value = parse_finite(trim(cell));
      if (!value || *value < 0)
        lines.refuse(fmt::format("distance {} found, expected a number of 0 or more", in_quotes(cell)));
      matrix.value.push_back(*value);
    }
  }
  if (matrix.inputs == 0)
    fail(Fault::kData, lines.origin() + ": is empty, expected a row of distances per place");
  return matrix;
}

std::vector<std::size_t> read_place_numbers(LineStream& lines, std::size_t places) {
  std::vector<std::size_t> numbers;
  for (std::string_view line; lines.next(line);) {
    const std::optional<std::size_t> number = whole_number(trim(line));
    if (!number || *number >= places)
      lines.refuse(
          fmt::format("place {} found, expected a whole number from 0 to {}", in_quotes(line), places - 1));
    numbers.push_back(*number);
  }
  if (numbers.empty()) fail(Fault::kData, lines.origin() + ": is empty, expected a place per line");
  return numbers;
}

}  // namespace earshot
