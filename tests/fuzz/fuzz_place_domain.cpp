// Fuzzes what `earshot collect` is told about its map: boxes, shapes of grids, units, numbers of places.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "earshot/collect/campaign/place_domain.hpp"
#include "fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  earshot::fuzzing::accept_or_refuse([&] {
    const earshot::GeoBox box = earshot::parse_box(text);
    if (!(box.south < box.north && box.west < box.east)) std::abort();
    earshot::grid_of_cells(box, 5000);
  });
  earshot::fuzzing::accept_or_refuse([&] {
    const earshot::GridShape shape = earshot::parse_shape(text);
    if (shape.rows == 0 || shape.columns == 0) std::abort();
  });
  earshot::fuzzing::accept_or_refuse([&] { earshot::parse_unit(text); });
  earshot::fuzzing::accept_or_refuse([&] {
    earshot::LineStream lines(earshot::TextFile{text, "fuzz"});
    for (const std::size_t place : earshot::read_place_numbers(lines, 10))
      if (place >= 10) std::abort();
  });
  return 0;
}
