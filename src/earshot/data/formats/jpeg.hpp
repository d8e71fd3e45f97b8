// JPEG images in: 8-bit grey or RGB.
#pragma once

#include <cstdint>
#include <span>

#include "earshot/data/formats/image.hpp"

namespace earshot {

/// One channel for grey images, three (red, green, blue) for colour; CMYK is refused. Whatever the decoder
/// would only warn of (missing or damaged data) is an error. Bytes after the image's end are not looked at.
Image decode_jpeg(std::span<const std::uint8_t> bytes, std::size_t most_pixels = kMostPixels);

}  // namespace earshot
