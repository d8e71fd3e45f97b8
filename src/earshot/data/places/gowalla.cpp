#include "earshot/data/places/gowalla.hpp"

#include "earshot/data/catalogue/catalogue.hpp"

namespace earshot {

CheckIns load_gowalla(GowallaCity city, const std::filesystem::path& directory) {
  const bool paris = city == GowallaCity::kParis;
  const CataloguedText file = read_catalogued(
      "gowalla", paris ? "gowalla/Gowalla_Paris_latlon.csv" : "gowalla/Gowalla_SF_latlon.csv", directory);
  LineStream lines(TextFile{file.text, file.origin});
  return read_coordinate_pairs(lines);
}

std::vector<GridCell> load_gowalla_cells(GowallaCity city, const std::filesystem::path& directory) {
  const bool paris = city == GowallaCity::kParis;
  const CataloguedText file = read_catalogued(
      "gowalla", paris ? "gowalla/Gowalla_Paris_grid.csv" : "gowalla/Gowalla_SF_grid.csv", directory);
  LineStream lines(TextFile{file.text, file.origin});
  return read_grid_cells(lines);
}

}  // namespace earshot
