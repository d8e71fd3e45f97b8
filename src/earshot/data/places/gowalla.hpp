// The Gowalla check-ins of two cities that earshot knows by name, and the cells their publishers put them
// into.
#pragma once

#include <filesystem>
#include <vector>

#include "earshot/data/places/place_files.hpp"

namespace earshot {

enum class GowallaCity { kParis, kSanFrancisco };

/// Files checked against the catalogue.
CheckIns load_gowalla(GowallaCity city, const std::filesystem::path& directory);
std::vector<GridCell> load_gowalla_cells(GowallaCity city, const std::filesystem::path& directory);

}  // namespace earshot
