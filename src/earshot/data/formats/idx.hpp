// The idx format of MNIST (LeCun, Cortes & Burges): big-endian magic and dimensions, then the values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "earshot/core/files.hpp"

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

/// Rows of whole numbers, row by row.
struct IdxTable {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<std::int32_t> values;

  std::int32_t at(std::size_t row, std::size_t column) const { return values[row * columns + column]; }
};

/// Magic 0x00000c02: rows, columns (neither of them 0), then exactly that many big-endian 32-bit numbers. The
/// format of QMNIST's extended labels.
IdxTable parse_idx_table(std::span<const std::uint8_t> bytes);

}  // namespace earshot
