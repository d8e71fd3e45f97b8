// Fuzzes the reader of GeoJSON points: what it accepts must lie on the globe.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "earshot/data/places/place_files.hpp"
#include "fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  earshot::fuzzing::accept_or_refuse([&] {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const earshot::CheckIns places = earshot::read_geojson_points(text, "fuzz");
    for (std::size_t i = 0; i < places.size(); ++i)
      if (!earshot::on_the_globe(places.latitude[i], places.longitude[i])) std::abort();
  });
  return 0;
}
