#include "earshot/data/images/image_transform.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

/// Weights of the input values first, first + 1, … in one output value.
struct Window {
  std::size_t first = 0;
  std::vector<double> weights;
};

Window window_at(std::size_t index, std::size_t from, std::size_t to) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double support = std::max(scale, 1.0);
  const double centre = (static_cast<double>(index) + 0.5) * scale;
  const double last = std::min(std::floor(centre + support - 0.5), static_cast<double>(from) - 1);
  Window window;
  window.first = static_cast<std::size_t>(std::max(std::ceil(centre - support - 0.5), 0.0));
  double sum = 0;
  for (std::size_t i = window.first; static_cast<double>(i) <= last; ++i) {
    const double distance = std::abs(static_cast<double>(i) + 0.5 - centre);
    window.weights.push_back(std::max(0.0, 1 - distance / support));
    sum += window.weights.back();
  }
  for (double& weight : window.weights) weight /= sum;
  return window;
}

std::vector<Window> windows(std::size_t from, std::size_t to) {
  std::vector<Window> all;
  for (std::size_t i = 0; i < to; ++i) all.push_back(window_at(i, from, to));
  return all;
}

/// Rows of `from` values become rows of as many as there are windows.
std::vector<double> resize_rows(std::span<const double> values, std::size_t from,
                                const std::vector<Window>& columns) {
  std::vector<double> out;
  out.reserve(values.size() / from * columns.size());
  for (std::size_t row = 0; row < values.size(); row += from) {
    for (const Window& window : columns) {
      double sum = 0;
      for (std::size_t i = 0; i < window.weights.size(); ++i)
        sum += window.weights[i] * values[row + window.first + i];
      out.push_back(sum);
    }
  }
  return out;
}

/// Columns of each plane of height x width become columns of as many values as there are windows.
std::vector<double> resize_columns(std::span<const double> values, std::size_t height, std::size_t width,
                                   const std::vector<Window>& rows) {
  std::vector<double> out;
  out.reserve(values.size() / height * rows.size());
  for (std::size_t plane = 0; plane < values.size(); plane += height * width) {
    for (const Window& window : rows) {
      const std::size_t start = out.size();
      out.resize(start + width, 0.0);
      for (std::size_t i = 0; i < window.weights.size(); ++i) {
        const auto row = values.subspan(plane + (window.first + i) * width, width);
        for (std::size_t x = 0; x < width; ++x) out[start + x] += window.weights[i] * row[x];
      }
    }
  }
  return out;
}

void check_size(std::size_t height, std::size_t width) {
  if (height == 0 || width == 0 || width > kMostPixels / height)
    fail(Fault::kConfig, fmt::format("cannot make an image of {} x {} pixels", height, width));
}

/// Pixel (y, x) of each plane of the result is pixel source(y, x) of the image.
template <class Source>
Image rearranged(const Image& image, std::size_t height, std::size_t width, Source source) {
  Image out{{image.shape.channels, height, width}, {}};
  out.planes.reserve(out.shape.size());
  for (std::size_t c = 0; c < image.shape.channels; ++c) {
    for (std::size_t y = 0; y < height; ++y) {
      for (std::size_t x = 0; x < width; ++x) {
        const auto [from_y, from_x] = source(y, x);
        out.planes.push_back(image.planes[(c * image.shape.height + from_y) * image.shape.width + from_x]);
      }
    }
  }
  return out;
}

}  // namespace

std::vector<double> resize(std::span<const double> values, const ImageShape& from, std::size_t height,
                           std::size_t width) {
  check_size(height, width);
  if (from.size() == 0 || values.size() != from.size())
    fail(Fault::kInternal, fmt::format("{} values given as one image of {}", values.size(), from.size()));
  const std::vector<double> wide = resize_rows(values, from.width, windows(from.width, width));
  return resize_columns(wide, from.height, width, windows(from.height, height));
}

Image resize(const Image& image, std::size_t height, std::size_t width) {
  const std::vector<double> values = resize(to_unit(image.planes), image.shape, height, width);
  return {{image.shape.channels, height, width}, to_bytes(values)};
}

Image resize_shorter_side(const Image& image, std::size_t side) {
  const std::size_t height = image.shape.height;
  const std::size_t width = image.shape.width;
  return height <= width ? resize(image, side, side * width / height)
                         : resize(image, side * height / width, side);
}

Image centre_crop(const Image& image, std::size_t height, std::size_t width) {
  if (height == 0 || width == 0 || height > image.shape.height || width > image.shape.width) {
    fail(Fault::kConfig, fmt::format("cannot crop {} x {} pixels out of an image of {} x {}", height, width,
                                     image.shape.height, image.shape.width));
  }
  const std::size_t top = (image.shape.height - height) / 2;
  const std::size_t left = (image.shape.width - width) / 2;
  return rearranged(image, height, width,
                    [&](std::size_t y, std::size_t x) { return std::pair(top + y, left + x); });
}

Image flip_horizontally(const Image& image) {
  const std::size_t width = image.shape.width;
  return rearranged(image, image.shape.height, width,
                    [&](std::size_t y, std::size_t x) { return std::pair(y, width - 1 - x); });
}

Image rotate_quarter(const Image& image) {
  const std::size_t width = image.shape.width;
  return rearranged(image, width, image.shape.height,
                    [&](std::size_t y, std::size_t x) { return std::pair(x, width - 1 - y); });
}

}  // namespace earshot
