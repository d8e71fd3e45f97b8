// Arrays in numpy's .npy format, versions 1 and 2 (numpy.lib.format): numbers in C order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "earshot/core/files.hpp"

namespace earshot {

enum class NpyKind { kUnsigned, kSigned, kFloat };

struct NpyArray {
  NpyKind kind = NpyKind::kUnsigned;
  std::size_t width = 1;  // bytes of a number
  std::vector<std::size_t> shape;
  Bytes data;  // little-endian
};

/// Little-endian whole numbers of 1, 2, 4 or 8 bytes and floats of 4 or 8. The header must be the dictionary
/// numpy writes, no dimension may be 0, and exactly the announced numbers must follow. Objects, text, complex
/// numbers, big-endian numbers and Fortran order are refused.
NpyArray parse_npy(std::span<const std::uint8_t> bytes);

/// All numbers; refuses those that are not finite or that a double cannot hold exactly.
std::vector<double> npy_numbers(const NpyArray& array);

/// The numbers of an array of bytes.
Bytes npy_bytes(NpyArray array);

}  // namespace earshot
