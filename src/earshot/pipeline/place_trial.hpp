// Trials of collecting places: in cycles, mechanisms side by side, or what an isolated cell gives away.
#pragma once

#include <filesystem>

#include "earshot/collect/location/distances.hpp"
#include "earshot/core/json.hpp"
#include "earshot/pipeline/stage.hpp"

namespace earshot {

/// Check-ins of a city on its grid, with distances in cells.
struct PlaceData {
  PlaceGrid grid;
  PlaceTally tally;
  Distances distances;
};

/// Whether the cell's protocol collects places; such a cell has no graph and nobody to overhear.
bool collects_places(const Cell& cell);

PlaceData load_places(const Choice& data, const std::filesystem::path& directory);

/// Fails where settings contradict the data.
void check_place_cell(const Cell& cell, const PlaceData& data);

/// Protocol "privic": tables "cycles" (a row per update, 0 the uniform start) and "pooled". Protocol
/// "mechanism_comparison": table "mechanisms". Protocol "island_exposure": table "exposure". First trials of
/// the first two leave maps in `places`.
Json run_place_trial(const Cell& cell, const TrialAddress& address, const PlaceData& data);
TableColumns place_columns(const Cell& cell);

}  // namespace earshot
