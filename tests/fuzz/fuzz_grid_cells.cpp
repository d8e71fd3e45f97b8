// Fuzzes the reader of row,column lines.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "earshot/data/places/place_files.hpp"
#include "fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  earshot::fuzzing::accept_or_refuse([&] {
    earshot::LineStream lines(earshot::TextFile{{reinterpret_cast<const char*>(data), size}, "fuzz"});
    if (earshot::read_grid_cells(lines).empty()) std::abort();
  });
  return 0;
}
