// Fuzzes the idx parsers: what they accept must be consistent with itself.
#include <cstdint>
#include <cstdlib>
#include <span>
#include <utility>

#include "earshot/data/images/mnist.hpp"
#include "fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace earshot;
  const std::span bytes(data, size);
  fuzzing::accept_or_refuse([&] {
    for (const std::uint8_t label : parse_idx_labels(bytes, 10)) {
      if (label >= 10) std::abort();
    }
  });
  fuzzing::accept_or_refuse([&] {
    IdxImages images = parse_idx_images(bytes);
    if (images.pixels.size() + 16 != size) std::abort();
    const std::size_t count = images.count;
    const ImageDataset dataset = combine_idx(std::move(images), std::vector<std::uint8_t>(count), 10);
    if (dataset.image(count - 1).size() != dataset.shape.size()) std::abort();
  });
  return 0;
}
