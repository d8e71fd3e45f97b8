// Images for tests, and SSIM straight from its definition.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "earshot/core/random.hpp"
#include "earshot/core/test_settings.hpp"
#include "earshot/data/catalogue/catalogue.hpp"
#include "earshot/data/images/image_datasets.hpp"
#include "earshot/metric/ssim.hpp"

namespace earshot::testing {

inline std::vector<double> random_image(const ImageShape& shape, Stream& stream) {
  std::vector<double> image(shape.size());
  for (double& value : image) value = stream.uniform();
  return image;
}

/// The image plus Gaussian noise, inside [0, 1].
inline std::vector<double> noisy(std::vector<double> image, double deviation, Stream& stream) {
  for (double& value : image) value = std::clamp(value + deviation * stream.normal(), 0.0, 1.0);
  return image;
}

/// The image mirrored left to right.
inline std::vector<double> mirrored(const std::vector<double>& image, const ImageShape& shape) {
  std::vector<double> out(image.size());
  for (std::size_t i = 0; i < image.size(); ++i) {
    const std::size_t x = i % shape.width;
    out[i - x + shape.width - 1 - x] = image[i];
  }
  return out;
}

inline ImageDataset real_images(const std::string& name) {
  for (const DatasetComponent& component : dataset_components()) {
    if (component.schema.name == name)
      return component.load(valid_settings(component.schema, Json::object()), data_directory());
  }
  throw std::runtime_error("no dataset " + name);
}

/// One window position of Wang et al. 2004, eq. 13-16: a direct sum over the 2-D window, variances around the
/// mean.
inline SsimTerms naive_terms_at(const double* x, const double* y, std::size_t width, std::size_t side,
                                double range, SsimWindow window) {
  std::vector<double> weights;
  double total = 0;
  const double centre = static_cast<double>(side - 1) / 2;
  for (std::size_t i = 0; i < side * side; ++i) {
    const double dy = static_cast<double>(i / side) - centre;
    const double dx = static_cast<double>(i % side) - centre;
    const bool uniform = window == SsimWindow::kUniform;
    weights.push_back(uniform ? 1.0 : std::exp(-(dx * dx + dy * dy) / (2 * 1.5 * 1.5)));
    total += weights.back();
  }
  const double divisor = window == SsimWindow::kUniform && side > 1 ? total - 1 : total;
  const auto sum = [&](auto value) {
    double out = 0;
    for (std::size_t i = 0; i < side * side; ++i) out += weights[i] * value(i / side * width + i % side);
    return out;
  };
  const double mx = sum([&](std::size_t k) { return x[k]; }) / total;
  const double my = sum([&](std::size_t k) { return y[k]; }) / total;
  const double vx = sum([&](std::size_t k) { return (x[k] - mx) * (x[k] - mx); }) / divisor;
  const double vy = sum([&](std::size_t k) { return (y[k] - my) * (y[k] - my); }) / divisor;
  const double cov = sum([&](std::size_t k) { return (x[k] - mx) * (y[k] - my); }) / divisor;
  const double c1 = 0.01 * range * 0.01 * range;
  const double c2 = 0.03 * range * 0.03 * range;
  const double contrast_structure = (2 * cov + c2) / (vx + vy + c2);
  return {(2 * mx * my + c1) / (mx * mx + my * my + c1) * contrast_structure, contrast_structure};
}

/// Means over all positions of a window of that side in all channels.
inline SsimTerms naive_terms(const std::vector<double>& x, const std::vector<double>& y,
                             const ImageShape& shape, std::size_t side, double range,
                             SsimWindow window = SsimWindow::kGaussian) {
  SsimTerms sum;
  double positions = 0;
  for (std::size_t c = 0; c < shape.channels; ++c) {
    for (std::size_t top = 0; top + side <= shape.height; ++top) {
      for (std::size_t left = 0; left + side <= shape.width; ++left, ++positions) {
        const std::size_t at = (c * shape.height + top) * shape.width + left;
        const SsimTerms here = naive_terms_at(&x[at], &y[at], shape.width, side, range, window);
        sum.index += here.index;
        sum.contrast_structure += here.contrast_structure;
      }
    }
  }
  return {sum.index / positions, sum.contrast_structure / positions};
}

/// The more noise, the lower the score of the first `images` pictures.
template <class Metric>
void expect_falls_with_noise(const ImageDataset& dataset, std::size_t images,
                             const std::vector<double>& deviations, Stream& stream, Metric&& metric) {
  for (std::size_t index = 0; index < images; ++index) {
    const std::vector<double> truth = to_unit(dataset.image(index));
    double last = 1;
    for (const double deviation : deviations) {
      const double value = metric(truth, noisy(truth, deviation, stream), dataset.shape, 1);
      EXPECT_LT(value, last) << index << " " << deviation;
      last = value;
    }
  }
}

}  // namespace earshot::testing
