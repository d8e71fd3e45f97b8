// One channel of an image, and the operations on it that several metrics share.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "earshot/data/formats/image.hpp"

namespace earshot {

/// Somebody else's rows of pixels.
struct PlaneView {
  std::size_t height = 0;
  std::size_t width = 0;
  std::span<const double> values;

  double at(std::size_t y, std::size_t x) const { return values[y * width + x]; }
};

struct Plane {
  std::size_t height = 0;
  std::size_t width = 0;
  std::vector<double> values;

  double& at(std::size_t y, std::size_t x) { return values[y * width + x]; }
  PlaneView view() const { return {height, width, values}; }
};

/// The contract of every image metric: both images have the shape, at least one pixel and finite values, and
/// the range is positive.
void check_images(std::string_view metric, std::span<const double> truth, std::span<const double> guess,
                  const ImageShape& shape, double range);

PlaneView channel_of(std::span<const double> image, const ImageShape& shape, std::size_t channel);

/// The sum of the channels, each times its weight; as many weights as channels.
Plane weighted_channels(std::span<const double> image, const ImageShape& shape,
                        std::span<const double> weights);

/// Brightness: a grey image as it is, of RGB 0.299 R + 0.587 G + 0.114 B (ITU-R BT.601). Other numbers of
/// channels have none.
Plane luma(std::span<const double> image, const ImageShape& shape);

/// Means of blocks of factor x factor pixels; a block cut off at the edge is averaged over what is left of
/// it.
Plane block_means(const PlaneView& plane, std::size_t factor);

}  // namespace earshot
