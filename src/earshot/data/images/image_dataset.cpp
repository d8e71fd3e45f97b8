#include "earshot/data/images/image_dataset.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

void check_fit(std::span<const double> values, const ImageShape& shape, const Normalisation& normalisation) {
  if (shape.size() == 0 || values.size() % shape.size() != 0) {
    fail(Fault::kInternal, fmt::format("{} values are no whole number of {}x{}x{} images", values.size(),
                                       shape.channels, shape.height, shape.width));
  }
  if (normalisation.mean.size() != shape.channels || normalisation.deviation.size() != shape.channels) {
    fail(Fault::kInternal, fmt::format("normalisation of {} channels applied to images of {}",
                                       normalisation.mean.size(), shape.channels));
  }
}

/// Calls visit(value, mean, deviation) for every value of every image.
template <class Visit>
void for_each_value(std::span<double> values, const ImageShape& shape, const Normalisation& normalisation,
                    Visit visit) {
  check_fit(values, shape, normalisation);
  const std::size_t plane = shape.plane();
  for (std::size_t start = 0, channel = 0; start < values.size(); start += plane) {
    for (double& value : values.subspan(start, plane))
      visit(value, normalisation.mean[channel], normalisation.deviation[channel]);
    channel = (channel + 1) % shape.channels;
  }
}

}  // namespace

Normalisation mnist_normalisation() {
  return {{0.1307}, {0.3081}};
}

Normalisation cifar10_normalisation() {
  return {{0.4915, 0.4823, 0.4468}, {0.2470, 0.2435, 0.2616}};
}

Normalisation fashion_mnist_normalisation() {
  return {{0.2860}, {0.3530}};
}

Normalisation retinamnist_normalisation() {
  return {{0.3984, 0.2447, 0.1558}, {0.2983, 0.2005, 0.1507}};
}

Normalisation femnist_normalisation() {
  return {{0.9631}, {0.1608}};
}

Normalisation digits_normalisation() {
  return {{0.3053}, {0.3759}};
}

Normalisation imagenet_normalisation() {
  return {{0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}};
}

Normalisation half_normalisation() {
  return {{0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}};
}

std::vector<double> to_unit(std::span<const std::uint8_t> bytes) {
  std::vector<double> unit(bytes.size());
  std::transform(bytes.begin(), bytes.end(), unit.begin(), [](std::uint8_t byte) { return byte / 255.0; });
  return unit;
}

Bytes to_bytes(std::span<const double> unit) {
  Bytes bytes(unit.size());
  for (std::size_t i = 0; i < unit.size(); ++i) {
    if (std::isnan(unit[i])) fail(Fault::kNumeric, fmt::format("pixel {} is not a number", i));
    bytes[i] = static_cast<std::uint8_t>(std::lround(std::clamp(unit[i], 0.0, 1.0) * 255.0));
  }
  return bytes;
}

void normalise(std::span<double> values, const ImageShape& shape, const Normalisation& normalisation) {
  for_each_value(values, shape, normalisation,
                 [](double& value, double mean, double deviation) { value = (value - mean) / deviation; });
}

void denormalise(std::span<double> values, const ImageShape& shape, const Normalisation& normalisation) {
  for_each_value(values, shape, normalisation,
                 [](double& value, double mean, double deviation) { value = value * deviation + mean; });
}

void append(ImageDataset& dataset, const Image& image, std::uint8_t label) {
  if (dataset.size() == 0) dataset.shape = image.shape;
  if (image.shape != dataset.shape) {
    fail(Fault::kData, fmt::format("image is {}x{}x{} (channels, height, width), the one before {}x{}x{}",
                                   image.shape.channels, image.shape.height, image.shape.width,
                                   dataset.shape.channels, dataset.shape.height, dataset.shape.width));
  }
  dataset.pixels.insert(dataset.pixels.end(), image.planes.begin(), image.planes.end());
  dataset.labels.push_back(label);
}

std::vector<double> mean_image(const ImageDataset& dataset) {
  if (dataset.size() == 0) fail(Fault::kData, dataset.name + ": no images, so no mean image");
  std::vector<std::uint64_t> sums(dataset.shape.size(), 0);
  for (std::size_t i = 0; i < dataset.size(); ++i) {
    const auto image = dataset.image(i);
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += image[j];
  }
  std::vector<double> mean(sums.size());
  const double scale = 255.0 * static_cast<double>(dataset.size());
  std::transform(sums.begin(), sums.end(), mean.begin(),
                 [scale](std::uint64_t sum) { return static_cast<double>(sum) / scale; });
  return mean;
}

}  // namespace earshot
