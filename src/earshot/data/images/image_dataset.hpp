// Labelled images in memory, and the way from bytes to numbers and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "earshot/data/formats/image.hpp"

namespace earshot {

/// Per channel, in units of pixel values scaled to [0, 1].
struct Normalisation {
  std::vector<double> mean;
  std::vector<double> deviation;
};

/// The figures in common use for these datasets (computed over their training parts).
Normalisation mnist_normalisation();
Normalisation cifar10_normalisation();
Normalisation fashion_mnist_normalisation();
/// Computed over the parts earshot loads (the training part, or everything where there is no other).
Normalisation retinamnist_normalisation();
Normalisation femnist_normalisation();
Normalisation digits_normalisation();
/// What networks trained on ImageNet expect of colour images.
Normalisation imagenet_normalisation();
/// [0, 1] becomes [-1, 1] in each of three channels.
Normalisation half_normalisation();

/// Images are channel-major planes, rows first: pixel (c, y, x) of image i is
/// pixels[((i * channels + c) * height + y) * width + x].
struct ImageDataset {
  std::string name;
  ImageShape shape;
  std::size_t classes = 0;
  Bytes pixels;
  std::vector<std::uint8_t> labels;
  Normalisation normalisation;
  /// Whose image it is, each below client_count; both empty when the dataset does not say.
  std::vector<std::uint32_t> clients{};
  std::size_t client_count = 0;
  /// What somebody who reads results on these images should know, one sentence each.
  std::vector<std::string> notes{};

  std::size_t size() const { return labels.size(); }
  std::span<const std::uint8_t> image(std::size_t index) const {
    return std::span(pixels).subspan(index * shape.size(), shape.size());
  }
};

/// Byte b becomes b / 255.
std::vector<double> to_unit(std::span<const std::uint8_t> bytes);

/// Clamps to [0, 1] and rounds to the nearest byte: undoes to_unit exactly. A value that is not a number is
/// an error.
Bytes to_bytes(std::span<const double> unit);

/// (x - mean) / deviation, in place; `values` holds one or more whole images of the shape.
void normalise(std::span<double> values, const ImageShape& shape, const Normalisation& normalisation);
/// Inverse of normalise up to rounding; to_bytes(denormalise(normalise(to_unit(b)))) is b.
void denormalise(std::span<double> values, const ImageShape& shape, const Normalisation& normalisation);

/// Appends an image of the dataset's shape; the first one sets the shape.
void append(ImageDataset& dataset, const Image& image, std::uint8_t label);

/// Average of all images in [0, 1]: the best guess of somebody who knows the dataset but overheard nothing.
std::vector<double> mean_image(const ImageDataset& dataset);

}  // namespace earshot
