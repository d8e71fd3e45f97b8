// Images out: 8-bit grey or RGB PNG, in memory.
#pragma once

#include <cstdint>
#include <span>

#include "earshot/data/image_dataset.hpp"

namespace earshot {

/// `planes` is one image of the shape, 1 (grey) or 3 (RGB) channel-major planes. The same pixels give the
/// same bytes.
Bytes encode_png(const ImageShape& shape, std::span<const std::uint8_t> planes);

}  // namespace earshot
