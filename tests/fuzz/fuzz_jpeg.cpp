// Fuzzes the JPEG decoder behind its bound on pixels.
#include <cstdint>
#include <cstdlib>
#include <span>

#include "earshot/data/formats/jpeg.hpp"
#include "fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace earshot;
  constexpr std::size_t kMost = 1 << 16;
  fuzzing::accept_or_refuse([&] {
    const Image image = decode_jpeg(std::span(data, size), kMost);
    if (image.shape.plane() > kMost || image.planes.size() != image.shape.size()) std::abort();
    if (image.shape.channels != 1 && image.shape.channels != 3) std::abort();
  });
  return 0;
}
