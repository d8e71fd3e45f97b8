// A whole number below a bound from any source of random words, without modulo bias.
#pragma once

#include <cstdint>

#include "earshot/core/error.hpp"

namespace earshot {

/// Uniform on {0, ..., bound-1} by multiplication (Lemire 2019); bound > 0.
template <class Source>
std::uint64_t random_below(Source& source, std::uint64_t bound) {
  if (bound == 0) fail(Fault::kInternal, "a random number needs a positive bound");
  __extension__ using Wide = unsigned __int128;
  Wide product = static_cast<Wide>(source.bits()) * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    const std::uint64_t threshold = -bound % bound;
    while (static_cast<std::uint64_t>(product) < threshold)
      product = static_cast<Wide>(source.bits()) * bound;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

}  // namespace earshot
