#include "earshot/metric/plane.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/finite.hpp"

namespace earshot {
namespace {

double block_mean(const PlaneView& plane, std::size_t top, std::size_t left, std::size_t factor) {
  const std::size_t bottom = std::min(top + factor, plane.height);
  const std::size_t right = std::min(left + factor, plane.width);
  double sum = 0;
  for (std::size_t y = top; y < bottom; ++y) {
    for (std::size_t x = left; x < right; ++x) sum += plane.at(y, x);
  }
  return sum / static_cast<double>((bottom - top) * (right - left));
}

}  // namespace

void check_images(std::string_view metric, std::span<const double> truth, std::span<const double> guess,
                  const ImageShape& shape, double range) {
  if (truth.size() != shape.size() || guess.size() != shape.size() || shape.size() == 0) {
    fail(Fault::kInternal, fmt::format("{} of {} and {} values for {}x{}x{} images", metric, truth.size(),
                                       guess.size(), shape.channels, shape.height, shape.width));
  }
  if (!(range > 0) || !std::isfinite(range))
    fail(Fault::kInternal, fmt::format("{} needs a positive finite range, got {}", metric, range));
  if (!all_finite(truth) || !all_finite(guess))
    fail(Fault::kNumeric, fmt::format("{} of a value that is not finite", metric));
}

PlaneView channel_of(std::span<const double> image, const ImageShape& shape, std::size_t channel) {
  return {shape.height, shape.width, image.subspan(channel * shape.plane(), shape.plane())};
}

Plane weighted_channels(std::span<const double> image, const ImageShape& shape,
                        std::span<const double> weights) {
  Plane out{shape.height, shape.width, std::vector<double>(shape.plane(), 0.0)};
  for (std::size_t channel = 0; channel < weights.size(); ++channel) {
    const std::span<const double> values = channel_of(image, shape, channel).values;
    for (std::size_t i = 0; i < values.size(); ++i) out.values[i] += weights[channel] * values[i];
  }
  return out;
}

Plane luma(std::span<const double> image, const ImageShape& shape) {
  if (shape.channels == 1) return weighted_channels(image, shape, std::array{1.0});
  if (shape.channels == 3) return weighted_channels(image, shape, std::array{0.299, 0.587, 0.114});
  fail(Fault::kConfig,
       fmt::format("brightness is defined for images of 1 or 3 channels, not of {}; leave out "
                   "FSIM and gradient-PSNR for such data",
                   shape.channels));
}

Plane block_means(const PlaneView& plane, std::size_t factor) {
  Plane out{(plane.height + factor - 1) / factor, (plane.width + factor - 1) / factor, {}};
  out.values.reserve(out.height * out.width);
  for (std::size_t y = 0; y < out.height; ++y) {
    for (std::size_t x = 0; x < out.width; ++x)
      out.values.push_back(block_mean(plane, y * factor, x * factor, factor));
  }
  return out;
}

}  // namespace earshot
