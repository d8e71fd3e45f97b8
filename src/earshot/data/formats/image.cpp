#include "earshot/data/formats/image.hpp"

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {

void check_pixel_count(const ImageShape& shape, std::size_t most_pixels) {
  if (shape.plane() == 0 || shape.width > most_pixels / shape.height) {
    fail(Fault::kData, fmt::format("image of {} x {} pixels; allowed: at least 1, at most {} altogether",
                                   shape.height, shape.width, most_pixels));
  }
}

Bytes separate_planes(const ImageShape& shape, std::span<const std::uint8_t> pixels) {
  Bytes planes(pixels.size());
  for (std::size_t channel = 0; channel < shape.channels; ++channel) {
    for (std::size_t i = 0; i < shape.plane(); ++i)
      planes[channel * shape.plane() + i] = pixels[i * shape.channels + channel];
  }
  return planes;
}

}  // namespace earshot
