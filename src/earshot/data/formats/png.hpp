// Images out and in: 8-bit grey or RGB PNG, in memory.
#pragma once

#include <cstdint>
#include <span>

#include "earshot/data/formats/image.hpp"

namespace earshot {

/// `planes` is one image of the shape, 1 (grey) or 3 (RGB) channel-major planes. The same pixels give the
/// same bytes.
Bytes encode_png(const ImageShape& shape, std::span<const std::uint8_t> planes);

/// Grey images of up to 8 bits become one channel (0 black, 255 white), RGB and palette images three. 16-bit
/// images and transparency are refused. Stored values are taken as they are: a gamma or colour profile
/// changes nothing. Bytes after the image's end are not looked at.
Image decode_png(std::span<const std::uint8_t> bytes, std::size_t most_pixels = kMostPixels);

}  // namespace earshot
