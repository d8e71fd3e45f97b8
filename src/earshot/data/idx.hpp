// The idx format of MNIST (LeCun, Cortes & Burges): big-endian magic and dimensions, then one byte per value.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "earshot/core/files.hpp"
#include "earshot/data/image_dataset.hpp"

namespace earshot {

struct IdxImages {
  std::size_t count = 0;
  std::size_t rows = 0;
  std::size_t columns = 0;
  Bytes pixels;
};

/// Magic 0x00000803: count, rows, columns (none of them 0), then exactly that many pixels.
IdxImages parse_idx_images(std::span<const std::uint8_t> bytes);

/// Magic 0x00000801: count (not 0), then exactly that many labels, each below `classes`.
std::vector<std::uint8_t> parse_idx_labels(std::span<const std::uint8_t> bytes, std::size_t classes);

/// Puts the two together; their counts must agree. Normalisation and name are left to the caller.
ImageDataset combine_idx(IdxImages images, std::vector<std::uint8_t> labels, std::size_t classes);

}  // namespace earshot
