#include "earshot/metric/rendering.hpp"

#include <algorithm>
#include <cmath>

#include "earshot/core/error.hpp"
#include "earshot/core/finite.hpp"

namespace earshot {
namespace {

void check(std::span<const double> image, double range) {
  if (!(range > 0) || !std::isfinite(range)) fail(Fault::kInternal, "pixels need a positive finite range");
  if (!all_finite(image)) fail(Fault::kNumeric, "a value that is not finite cannot become a pixel");
}

}  // namespace

std::vector<double> clipped(std::span<const double> image, double range) {
  check(image, range);
  std::vector<double> out(image.begin(), image.end());
  for (double& value : out) value = std::clamp(value, 0.0, range);
  return out;
}

std::vector<double> stretched(std::span<const double> image, double range) {
  check(image, range);
  if (image.empty()) return {};
  const auto [least, most] = std::minmax_element(image.begin(), image.end());
  if (*least == *most) return clipped(image, range);
  // Halved, because the difference of two finite numbers can overflow.
  const double low = *least / 2;
  const double width = *most / 2 - low;
  std::vector<double> out(image.begin(), image.end());
  for (double& value : out) value = std::clamp((value / 2 - low) / width, 0.0, 1.0) * range;
  return out;
}

}  // namespace earshot
