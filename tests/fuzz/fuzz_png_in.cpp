// Fuzzes the PNG decoder: what it accepts survives being written and read again.
#include <cstdint>
#include <cstdlib>
#include <span>

#include "earshot/data/formats/png.hpp"
#include "fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace earshot;
  constexpr std::size_t kMost = 1 << 14;
  fuzzing::accept_or_refuse([&] {
    const Image image = decode_png(std::span(data, size), kMost);
    if (image.shape.plane() > kMost || image.planes.size() != image.shape.size()) std::abort();
    if (decode_png(encode_png(image.shape, image.planes), kMost).planes != image.planes) std::abort();
  });
  return 0;
}
