// Little-endian numbers in the bytes of a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace earshot {

/// The unsigned number at `offset`; the caller has checked that it lies inside.
template <class Unsigned>
Unsigned little_endian(std::span<const std::uint8_t> bytes, std::size_t offset) {
  std::uint64_t value = 0;
  for (std::size_t i = sizeof(Unsigned); i-- > 0;) value = value << 8 | bytes[offset + i];
  return static_cast<Unsigned>(value);
}

}  // namespace earshot
