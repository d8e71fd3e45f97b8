// For tests: tar archives made by hand.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "earshot/core/files.hpp"

namespace earshot::tar_sample {

inline void put(Bytes& bytes, std::size_t offset, std::string_view text) {
  std::copy(text.begin(), text.end(), bytes.begin() + static_cast<std::ptrdiff_t>(offset));
}

/// Writes the checksum of the header.
inline void sign(Bytes& header) {
  put(header, 148, "        ");
  std::size_t sum = 0;
  for (std::size_t i = 0; i < 512; ++i) sum += header[i];
  put(header, 148, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
}

/// Header and padded content of one member.
inline Bytes member(std::string_view name, std::string_view content, char type = '0',
                    std::string_view prefix = "") {
  Bytes bytes(512);
  put(bytes, 0, name);
  put(bytes, 100, "0000644");
  put(bytes, 124, fmt::format("{:011o}", content.size()));
  bytes[156] = static_cast<std::uint8_t>(type);
  put(bytes, 257, std::string_view("ustar\00000", 8));
  put(bytes, 345, prefix);
  sign(bytes);
  bytes.insert(bytes.end(), content.begin(), content.end());
  bytes.resize((bytes.size() + 511) / 512 * 512);
  return bytes;
}

inline Bytes archive(const std::vector<Bytes>& members, std::size_t end_blocks = 2) {
  Bytes bytes;
  for (const Bytes& one : members) bytes.insert(bytes.end(), one.begin(), one.end());
  bytes.resize(bytes.size() + 512 * end_blocks);
  return bytes;
}

}  // namespace earshot::tar_sample
