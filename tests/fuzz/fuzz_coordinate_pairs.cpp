// Fuzzes the reader of latitude,longitude lines: what it accepts must lie on the globe.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "earshot/data/places/place_files.hpp"
#include "fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  earshot::fuzzing::accept_or_refuse([&] {
    earshot::LineStream lines(earshot::TextFile{{reinterpret_cast<const char*>(data), size}, "fuzz"});
    const earshot::CheckIns places = earshot::read_coordinate_pairs(lines);
    if (places.size() == 0 || places.longitude.size() != places.size()) std::abort();
    for (std::size_t i = 0; i < places.size(); ++i)
      if (!earshot::on_the_globe(places.latitude[i], places.longitude[i])) std::abort();
  });
  return 0;
}
