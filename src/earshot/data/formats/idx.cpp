#include "earshot/data/formats/idx.hpp"

#include <array>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

constexpr std::uint32_t kImageMagic = 0x00000803;
constexpr std::uint32_t kLabelMagic = 0x00000801;
constexpr std::uint32_t kTableMagic = 0x00000c02;

std::uint32_t big_endian(std::span<const std::uint8_t> bytes, std::size_t offset) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | bytes[offset + i];
  return value;
}

/// The dimensions after the magic, checked against the number of bytes that follow (`width` per value).
/// Dividing instead of multiplying keeps a hostile header from overflowing the product.
template <std::size_t Rank>
std::array<std::size_t, Rank> parse_header(std::span<const std::uint8_t> bytes, std::uint32_t magic,
                                           std::size_t width = 1) {
  constexpr std::size_t kHeader = 4 * (Rank + 1);
  if (bytes.size() < kHeader) {
    fail(Fault::kData,
         fmt::format("idx file ends inside its {}-byte header (it has {} bytes)", kHeader, bytes.size()));
  }
  if (big_endian(bytes, 0) != magic) {
    fail(Fault::kData, fmt::format("idx magic is {:#010x}, expected {:#010x}", big_endian(bytes, 0), magic));
  }
  std::array<std::size_t, Rank> dimensions;
  std::size_t left = bytes.size() - kHeader;
  bool fits = left % width == 0;
  left /= width;
  for (std::size_t i = 0; i < Rank; ++i) {
    dimensions[i] = big_endian(bytes, 4 * (i + 1));
    if (dimensions[i] == 0) fail(Fault::kData, fmt::format("idx dimension {} is 0", i + 1));
    fits = fits && left % dimensions[i] == 0;
    left /= dimensions[i];
  }
  if (!fits || left != 1) {
    fail(Fault::kData, fmt::format("idx header announces {} values, but {} bytes follow it",
                                   fmt::join(dimensions, " x "), bytes.size() - kHeader));
  }
  return dimensions;
}

}  // namespace

IdxImages parse_idx_images(std::span<const std::uint8_t> bytes) {
  const auto [count, rows, columns] = parse_header<3>(bytes, kImageMagic);
  const auto pixels = bytes.subspan(16);
  return {count, rows, columns, Bytes(pixels.begin(), pixels.end())};
}

std::vector<std::uint8_t> parse_idx_labels(std::span<const std::uint8_t> bytes, std::size_t classes) {
  parse_header<1>(bytes, kLabelMagic);
  const auto labels = bytes.subspan(8);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] >= classes)
      fail(Fault::kData, fmt::format("label {} is {}, allowed: 0..{}", i, labels[i], classes - 1));
  }
  return {labels.begin(), labels.end()};
}

IdxTable parse_idx_table(std::span<const std::uint8_t> bytes) {
  const auto [rows, columns] = parse_header<2>(bytes, kTableMagic, 4);
  IdxTable table{rows, columns, {}};
  table.values.reserve(rows * columns);
  for (std::size_t offset = 12; offset < bytes.size(); offset += 4)
    table.values.push_back(static_cast<std::int32_t>(big_endian(bytes, offset)));
  return table;
}

}  // namespace earshot
