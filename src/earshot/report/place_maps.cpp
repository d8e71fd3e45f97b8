#include "earshot/report/place_maps.hpp"

#include <fmt/format.h>

#include "earshot/report/document_part.hpp"

namespace earshot {
namespace {

using parts::list;
using parts::maybe;
using parts::maybe_number;
using parts::number;
using parts::Part;
using parts::text;

constexpr std::size_t kLongestSide = 10'000;  // far more than can be drawn, and its square still fits

Part required(const Part& part, const std::string& key) {
  if (!part.has(key)) part.refuse(fmt::format("an object with a \"{}\"", key));
  return part.at(key);
}

std::size_t side(const Part& part) {
  if (!part.json.is_number_integer() || part.json < 1 || part.json > kLongestSide)
    part.refuse(fmt::format("a whole number from 1 to {}", kLongestSide));
  return part.json.get<std::size_t>();
}

MapGrid read_grid(const Part& part) {
  const Part box = required(part, "box");
  const auto edge = [&](const char* key) { return number(required(box, key)); };
  const MapGrid grid{side(required(part, "rows")),
                     side(required(part, "columns")),
                     edge("south"),
                     edge("west"),
                     edge("north"),
                     edge("east")};
  if (!(grid.south < grid.north) || !(grid.west < grid.east))
    box.refuse("a box whose south lies below its north and whose west lies below its east");
  return grid;
}

/// A value for every cell; negative ones are neither shares nor epsilons.
template <class Read>
auto by_cell(const Part& part, const std::string& key, const MapGrid& grid, Read read) {
  return maybe(part, key, [&](const Part& p) {
    if (p.json.is_array() && p.json.size() != grid.cells())
      p.refuse(fmt::format("a list of {} numbers, one for each cell of its grid", grid.cells()));
    return list(p, read);
  });
}

double share(const Part& part) {
  const double value = number(part);
  if (value < 0 || value > 1) part.refuse("a share between 0 and 1");
  return value;
}

std::optional<double> bound(const Part& part) {
  if (part.json.is_null()) return std::nullopt;
  const double value = number(part);
  if (value < 0) part.refuse("a number not below 0");
  return value;
}

CollectedMaps read_collection(const Part& part, const MapGrid& grid) {
  CollectedMaps maps;
  maps.name = maybe(part, "name", text);
  maps.distance = maybe_number(part, "emd");
  maps.report_grid = part.has("report_grid") ? read_grid(part.at("report_grid")) : grid;
  maps.reports = by_cell(part, "reports", maps.report_grid, share);
  maps.estimate = by_cell(part, "estimate", grid, share);
  maps.self_report = by_cell(part, "self_report", grid, share);
  maps.epsilon = by_cell(part, "epsilon", grid, bound);
  return maps;
}

Json grid_view(const MapGrid& grid) {
  return {{"rows", grid.rows},
          {"columns", grid.columns},
          {"box", {{"south", grid.south}, {"west", grid.west}, {"north", grid.north}, {"east", grid.east}}}};
}

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace

PlaceMaps read_place_maps(const Part& part) {
  PlaceMaps maps;
  maps.grid = read_grid(required(part, "grid"));
  maps.truth = by_cell(part, "truth", maps.grid, share);
  maps.collections = maybe(part, "collections", [&](const Part& p) {
    return list(p, [&](const Part& each) { return read_collection(each, maps.grid); });
  });
  return maps;
}

Json place_maps_view(const PlaceMaps& maps) {
  Json view{{"grid", grid_view(maps.grid)}, {"truth", maps.truth}, {"collections", Json::array()}};
  for (const CollectedMaps& each : maps.collections) {
    Json epsilon = Json::array();
    for (const auto& value : each.epsilon) epsilon.push_back(or_null(value));
    view["collections"].push_back({{"name", each.name},
                                   {"emd", or_null(each.distance)},
                                   {"report_grid", grid_view(each.report_grid)},
                                   {"reports", each.reports},
                                   {"estimate", each.estimate},
                                   {"self_report", each.self_report},
                                   {"epsilon", epsilon}});
  }
  return view;
}

}  // namespace earshot
