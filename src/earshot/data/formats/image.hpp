// One image as files hold it: bytes in planes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "earshot/core/files.hpp"
#include "earshot/core/shape.hpp"

namespace earshot {

using ImageShape = Shape;

/// One image: channel-major planes, rows first.
struct Image {
  ImageShape shape;
  Bytes planes;
};

/// Height times width of an image read from a file, far above any dataset's: a few bytes of header can
/// announce more than any memory holds.
inline constexpr std::size_t kMostPixels = std::size_t{1} << 26;
/// Fails for an image of no or of more pixels.
void check_pixel_count(const ImageShape& shape, std::size_t most_pixels);

/// From channels side by side, as image files have them, to planes.
Bytes separate_planes(const ImageShape& shape, std::span<const std::uint8_t> pixels);

}  // namespace earshot
