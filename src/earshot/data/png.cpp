#include "earshot/data/png.hpp"

#include <fmt/format.h>
#include <png.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

// Far above any dataset's images, far below libpng's own limits.
constexpr std::size_t kLargestSide = 1 << 15;

/// R, G and B of each pixel side by side, as PNG wants them.
Bytes interleave(const ImageShape& shape, std::span<const std::uint8_t> planes) {
  Bytes pixels(planes.size());
  for (std::size_t channel = 0; channel < shape.channels; ++channel) {
    for (std::size_t i = 0; i < shape.plane(); ++i)
      pixels[i * shape.channels + channel] = planes[channel * shape.plane() + i];
  }
  return pixels;
}

void check_shape(const ImageShape& shape, std::size_t values) {
  const bool sides =
      shape.height >= 1 && shape.width >= 1 && shape.height <= kLargestSide && shape.width <= kLargestSide;
  if (!sides || (shape.channels != 1 && shape.channels != 3) || values != shape.size()) {
    fail(Fault::kInternal,
         fmt::format("a PNG needs 1 or 3 channels and sides 1..{}, got {} values for {}x{}x{}", kLargestSide,
                     values, shape.channels, shape.height, shape.width));
  }
}

}  // namespace

Bytes encode_png(const ImageShape& shape, std::span<const std::uint8_t> planes) {
  check_shape(shape, planes.size());
  const Bytes pixels = interleave(shape, planes);
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(shape.width);
  image.height = static_cast<png_uint_32>(shape.height);
  image.format = shape.channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  Bytes encoded(size);
  if (png_image_write_to_memory(&image, encoded.data(), &size, 0, pixels.data(), 0, nullptr) == 0)
    fail(Fault::kInternal, fmt::format("libpng: {}", image.message));
  encoded.resize(size);
  return encoded;
}

}  // namespace earshot
