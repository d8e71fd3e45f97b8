// Where people were: check-ins as plain coordinates, and what a file held beside them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace earshot {

/// Degrees in WGS 84, one entry per check-in in the order of the file.
struct CheckIns {
  /// Records that say no place, by reason. They are counted because a share that silently went missing would
  /// bias every distribution estimated from the rest.
  struct Skipped {
    std::size_t without_position = 0;  // an empty cell, a null geometry, or the 0, 0 of SNAP's files
    std::size_t off_the_globe = 0;     // SNAP's files only: elsewhere such coordinates are an error
    std::size_t other_shapes = 0;      // GeoJSON only: lines, areas
    bool operator==(const Skipped&) const = default;
  };

  std::vector<double> latitude{};
  std::vector<double> longitude{};
  /// Whose check-in each one is, as a position in `users`; both empty where a file does not say.
  std::vector<std::uint32_t> user{};
  std::vector<std::string> users{};
  Skipped skipped{};

  std::size_t size() const { return latitude.size(); }
  void add(double at_latitude, double at_longitude) {
    latitude.push_back(at_latitude);
    longitude.push_back(at_longitude);
  }
};

inline bool on_the_globe(double latitude, double longitude) {
  return latitude >= -90 && latitude <= 90 && longitude >= -180 && longitude <= 180;
}

}  // namespace earshot
