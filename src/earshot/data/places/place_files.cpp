#include "earshot/data/places/place_files.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/files.hpp"
#include "earshot/core/text.hpp"
#include "earshot/data/formats/csv_records.hpp"
#include "earshot/data/formats/plain_text.hpp"

namespace earshot {
namespace {

constexpr std::string_view kSwapped =
    "latitudes go from -90 to 90 and longitudes from -180 to 180; are the two swapped?";

/// Cuts the line into exactly that many pieces; false when there are more or fewer.
template <std::size_t Pieces>
bool cut(std::string_view line, char separator, std::array<std::string_view, Pieces>& pieces) {
  for (std::size_t i = 0; i < Pieces; ++i) {
    const std::size_t end = line.find(separator);
    if ((end == std::string_view::npos) != (i + 1 == Pieces)) return false;
    pieces[i] = line.substr(0, end);
    line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  }
  return true;
}

double coordinate(const LineStream& lines, std::string_view text, std::string_view what) {
  const std::optional<double> value = parse_finite(text);
  if (!value) lines.refuse(fmt::format("{} {} found, expected a number of degrees", what, in_quotes(text)));
  return *value;
}

void require_some(const CheckIns& places, const std::string& origin) {
  const CheckIns::Skipped& skipped = places.skipped;
  if (places.size() == 0 && skipped == CheckIns::Skipped{})
    fail(Fault::kData, origin + ": is empty, expected at least one check-in");
}

/// Gives every user the number of their first check-in.
class UserNumbers {
 public:
  explicit UserNumbers(CheckIns& places) : places_(places) {}

  /// The user of the check-in added last.
  void note(std::string_view name) {
    // Files list a user's check-ins one after another.
    if (places_.users.empty() || places_.users[last_] != name) last_ = number_of(std::string(name));
    places_.user.push_back(last_);
  }

 private:
  std::uint32_t number_of(std::string name) {
    const auto [entry, is_new] = numbers_.try_emplace(name, static_cast<std::uint32_t>(places_.users.size()));
    if (is_new) places_.users.push_back(std::move(name));
    return entry->second;
  }

  CheckIns& places_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::uint32_t last_ = 0;
};

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// 2010-10-19T23:55:27Z. Whether the day exists is not asked: the time is not used.
bool is_time(std::string_view text) {
  constexpr std::string_view kPattern = "0000-00-00T00:00:00Z";
  return std::ranges::equal(text, kPattern, [](char c, char pattern) {
    return pattern == '0' ? (c >= '0' && c <= '9') : c == pattern;
  });
}

}  // namespace

CheckIns read_coordinate_pairs(LineStream& lines) {
  CheckIns places;
  std::array<std::string_view, 2> cells;
  for (std::string_view line; lines.next(line);) {
    if (!cut(line, ',', cells))
      lines.refuse(fmt::format("{} found, expected latitude,longitude", in_quotes(line)));
    const double latitude = coordinate(lines, cells[0], "latitude");
    const double longitude = coordinate(lines, cells[1], "longitude");
    if (!on_the_globe(latitude, longitude)) lines.refuse(std::string(kSwapped));
    places.add(latitude, longitude);
  }
  require_some(places, lines.origin());
  return places;
}

CheckIns read_snap_check_ins(LineStream& lines) {
  CheckIns places;
  UserNumbers users(places);
  std::array<std::string_view, 5> cells;
  for (std::string_view line; lines.next(line);) {
    if (!cut(line, '\t', cells))
      lines.refuse(fmt::format(
          "{} found, expected user, time, latitude, longitude and place with tabs between", in_quotes(line)));
    if (!is_digits(cells[0]))
      lines.refuse(fmt::format("user {} found, expected a whole number", in_quotes(cells[0])));
    if (!is_time(cells[1]))
      lines.refuse(fmt::format("time {} found, expected the form 2010-10-19T23:55:27Z", in_quotes(cells[1])));
    if (cells[4].empty()) lines.refuse("the place is empty");
    const double latitude = coordinate(lines, cells[2], "latitude");
    const double longitude = coordinate(lines, cells[3], "longitude");
    if (latitude == 0 && longitude == 0) {
      ++places.skipped.without_position;
    } else if (!on_the_globe(latitude, longitude)) {
      ++places.skipped.off_the_globe;
    } else {
      places.add(latitude, longitude);
      users.note(cells[0]);
    }
  }
  require_some(places, lines.origin());
  return places;
}

CheckIns read_place_csv(std::string_view text, const std::string& origin, const PlaceColumns& columns) {
  CsvRecords records(text, origin, columns.delimiter);
  std::vector<TextCell> cells;
  if (!records.next(cells)) fail(Fault::kData, origin + ": is empty, expected a header line");
  const auto refuse = [&](const std::string& why) {
    fail(Fault::kData, fmt::format("{}:{}: {}", origin, cells.front().line, why));
  };
  const auto position = [&](const std::string& name) {
    std::vector<std::string> names;
    for (const TextCell& cell : cells) names.push_back(in_quotes(cell.text));
    const auto is_it = [&](const TextCell& cell) { return cell.text == name; };
    const auto found = std::ranges::find_if(cells, is_it);
    if (found == cells.end())
      refuse(fmt::format("no column is called {}; the columns are {}", in_quotes(name), join(names, ", ")));
    if (std::ranges::count_if(cells, is_it) > 1)
      refuse(fmt::format("two columns are called {}", in_quotes(name)));
    return static_cast<std::size_t>(found - cells.begin());
  };
  const std::size_t latitude_at = position(columns.latitude);
  const std::size_t longitude_at = position(columns.longitude);
  const std::size_t user_at = columns.user.empty() ? cells.size() : position(columns.user);
  const std::size_t width = cells.size();
  const auto degrees = [&](const TextCell& cell, const std::string& name) {
    const std::optional<double> value = parse_finite(cell.text);
    if (!value) refuse(fmt::format("{} is {}, expected a number of degrees", name, in_quotes(cell.text)));
    return *value;
  };
  CheckIns places;
  UserNumbers users(places);
  while (records.next(cells)) {
    if (cells.size() != width) refuse(fmt::format("{} fields found, expected {}", cells.size(), width));
    if (cells[latitude_at].text.empty() && cells[longitude_at].text.empty()) {
      ++places.skipped.without_position;
      continue;
    }
    const double latitude = degrees(cells[latitude_at], "the latitude");
    const double longitude = degrees(cells[longitude_at], "the longitude");
    if (!on_the_globe(latitude, longitude)) refuse(std::string(kSwapped));
    places.add(latitude, longitude);
    if (user_at < width) users.note(cells[user_at].text);
  }
  require_some(places, origin);
  return places;
}

std::vector<GridCell> read_grid_cells(LineStream& lines) {
  std::vector<GridCell> cells;
  std::array<std::string_view, 2> pieces;
  const auto index = [&](std::string_view text) {
    std::uint32_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size())
      lines.refuse(fmt::format("index {} found, expected a whole number", in_quotes(text)));
    return value;
  };
  for (std::string_view line; lines.next(line);) {
    if (!cut(line, ',', pieces)) lines.refuse(fmt::format("{} found, expected row,column", in_quotes(line)));
    const std::uint32_t row = index(pieces[0]);
    cells.emplace_back(row, index(pieces[1]));
  }
  if (cells.empty()) fail(Fault::kData, lines.origin() + ": is empty, expected at least one cell");
  return cells;
}

PlaceForm form_of(const std::filesystem::path& path) {
  std::filesystem::path name = path.filename();
  if (name.extension() == ".gz") name = name.stem();
  if (name.extension() == ".json" || name.extension() == ".geojson") return PlaceForm::kGeoJson;
  LineStream lines(path);
  std::string_view first;
  if (!lines.next(first)) fail(Fault::kData, path.string() + ": is empty, expected check-ins");
  if (first.starts_with('{')) return PlaceForm::kGeoJson;
  std::array<std::string_view, 5> five;
  if (cut(first, '\t', five) && is_time(five[1])) return PlaceForm::kSnap;
  std::array<std::string_view, 2> two;
  if (cut(first, ',', two) && parse_finite(two[0]) && parse_finite(two[1]))
    return PlaceForm::kCoordinatePairs;
  return PlaceForm::kCsv;
}

CheckIns load_check_ins(const std::filesystem::path& path, PlaceForm form, const PlaceColumns& columns) {
  if (form == PlaceForm::kCsv) return read_place_csv(read_text(path), path.string(), columns);
  if (form == PlaceForm::kGeoJson) return read_geojson_points(read_text(path), path.string());
  LineStream lines(path);
  return form == PlaceForm::kSnap ? read_snap_check_ins(lines) : read_coordinate_pairs(lines);
}

}  // namespace earshot
