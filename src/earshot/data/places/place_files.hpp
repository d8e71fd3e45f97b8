// Files of check-ins, one strict reader per form.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "earshot/data/formats/line_stream.hpp"
#include "earshot/data/places/check_ins.hpp"

namespace earshot {

/// `latitude,longitude` on every line and nothing else: the Gowalla files of PRIVIC (Biswas & Palamidessi
/// 2024).
CheckIns read_coordinate_pairs(LineStream& lines);

/// SNAP's check-in files (Gowalla, Brightkite; Cho, Myers & Leskovec 2011): user, time, latitude, longitude
/// and place, separated by tabs. Check-ins at 0, 0 (how these files write an unknown place) and outside the
/// globe are counted and skipped, since the originals have some; everything else is an error.
CheckIns read_snap_check_ins(LineStream& lines);

/// Which columns of a CSV file hold the coordinates; the others may hold anything.
struct PlaceColumns {
  std::string latitude = "latitude";
  std::string longitude = "longitude";
  char delimiter = ',';
  std::string user{};  // empty: the file does not say whose they are
};
/// A header line, then records (RFC 4180). A record whose two cells are both empty is counted and skipped.
CheckIns read_place_csv(std::string_view text, const std::string& origin, const PlaceColumns& columns);

/// GeoJSON (RFC 7946): a feature collection, a feature, a Point or a MultiPoint. Features without geometry
/// and of other shapes are counted and skipped. One feature at a time is held in memory beside the text.
CheckIns read_geojson_points(std::string_view text, const std::string& origin);

/// `row,column` on every line: the published grid cells that lie beside the Gowalla files.
using GridCell = std::pair<std::uint32_t, std::uint32_t>;
std::vector<GridCell> read_grid_cells(LineStream& lines);

enum class PlaceForm { kCoordinatePairs, kSnap, kCsv, kGeoJson };
/// By the file's name (.json, .geojson, either with .gz) and else by its first line: five columns with tabs,
/// two numbers with a comma, or a header.
PlaceForm form_of(const std::filesystem::path& path);
/// `columns` matter to CSV only.
CheckIns load_check_ins(const std::filesystem::path& path, PlaceForm form, const PlaceColumns& columns = {});

}  // namespace earshot
