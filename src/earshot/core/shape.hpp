// The shape of an image, a sequence or a plain vector.
#pragma once

#include <cstddef>

namespace earshot {

/// Planes of height x width. A plain vector of n numbers is {n, 1, 1}, a sequence of length L with c channels
/// {c, 1, L}. In memory: channel-major, rows first.
struct Shape {
  std::size_t channels = 0;
  std::size_t height = 1;
  std::size_t width = 1;

  std::size_t plane() const { return height * width; }
  std::size_t size() const { return channels * plane(); }
  bool operator==(const Shape&) const = default;
};

}  // namespace earshot
