// Numbers that are neither NaN nor infinite.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace earshot {

inline bool all_finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double x) { return std::isfinite(x); });
}

}  // namespace earshot
