// Images resized, cropped, mirrored and turned.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "earshot/data/images/image_dataset.hpp"

namespace earshot {

/// Bilinear with antialiasing: an output pixel is the average of the input under a triangle centred on it,
/// whose half-width is one input pixel when enlarging and one output pixel when shrinking (area-aware, so
/// that fine structure is averaged instead of skipped); at the border the triangle is cut and its weights add
/// up to one again. `values` is one image of shape `from`.
std::vector<double> resize(std::span<const double> values, const ImageShape& from, std::size_t height,
                           std::size_t width);
/// The same on bytes, rounded once at the end.
Image resize(const Image& image, std::size_t height, std::size_t width);

/// Keeps the aspect ratio: the shorter side becomes `side`, the other is rounded down.
Image resize_shorter_side(const Image& image, std::size_t side);

/// The middle; when the margins cannot be equal, the upper and left one is the smaller.
Image centre_crop(const Image& image, std::size_t height, std::size_t width);

/// Left becomes right.
Image flip_horizontally(const Image& image);

/// A quarter turn, counter-clockwise: what was right is on top.
Image rotate_quarter(const Image& image);

}  // namespace earshot
