#include "earshot/metric/fsim.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/metric/phase_congruency.hpp"
#include "earshot/metric/plane.hpp"

namespace earshot {
namespace {

constexpr double kT1 = 0.85;  // phase congruency
constexpr double kT2 = 160;   // gradient magnitude, grey levels of 0 ... 255
constexpr double kT34 = 200;  // colour differences
constexpr double kLambda = 0.03;
constexpr double kViewingSide = 256;

double similarity(double a, double b, double constant) {
  return (2 * a * b + constant) / (a * a + b * b + constant);
}

/// The resolution at which a viewer judges, in grey levels 0 ... 255.
Plane prepared(const Plane& plane, double range) {
  const double smaller = static_cast<double>(std::min(plane.height, plane.width));
  Plane out = block_means(plane.view(), std::max<std::size_t>(1, std::lround(smaller / kViewingSide)));
  for (double& value : out.values) value *= 255 / range;
  return out;
}

/// Scharr's operator, pixels outside the image being 0.
std::vector<double> gradient_magnitude(const PlaneView& plane) {
  constexpr std::array<double, 3> kAcross{3.0 / 16, 10.0 / 16, 3.0 / 16};
  const auto pixel = [&](std::size_t y, std::size_t x) {  // (y, x) counted from (−1, −1)
    const bool inside = y >= 1 && x >= 1 && y <= plane.height && x <= plane.width;
    return inside ? plane.at(y - 1, x - 1) : 0.0;
  };
  std::vector<double> out;
  out.reserve(plane.values.size());
  for (std::size_t y = 0; y < plane.height; ++y) {
    for (std::size_t x = 0; x < plane.width; ++x) {
      double horizontal = 0;
      double vertical = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        horizontal += kAcross[k] * (pixel(y + k, x + 2) - pixel(y + k, x));
        vertical += kAcross[k] * (pixel(y + 2, x + k) - pixel(y, x + k));
      }
      out.push_back(std::hypot(horizontal, vertical));
    }
  }
  return out;
}

/// Similarity at every pixel, and what the pixel counts.
struct SimilarityMap {
  std::vector<double> similarity;
  std::vector<double> weight;
};

SimilarityMap luminance_map(const Plane& truth, const Plane& guess) {
  const PhaseCongruency phase_congruency(truth.height, truth.width);
  const std::vector<double> phase_x = phase_congruency(truth.view());
  const std::vector<double> phase_y = phase_congruency(guess.view());
  const std::vector<double> gradient_x = gradient_magnitude(truth.view());
  const std::vector<double> gradient_y = gradient_magnitude(guess.view());
  SimilarityMap out;
  for (std::size_t i = 0; i < phase_x.size(); ++i) {
    out.similarity.push_back(similarity(phase_x[i], phase_y[i], kT1) *
                             similarity(gradient_x[i], gradient_y[i], kT2));
    out.weight.push_back(std::max(phase_x[i], phase_y[i]));
  }
  return out;
}

/// One factor per pixel from the colour differences I and Q.
std::vector<double> chrominance_factor(std::span<const double> truth, std::span<const double> guess,
                                       const ImageShape& shape, double range) {
  constexpr std::array kI{0.596, -0.274, -0.322};
  constexpr std::array kQ{0.211, -0.523, 0.312};
  const Plane i_x = prepared(weighted_channels(truth, shape, kI), range);
  const Plane i_y = prepared(weighted_channels(guess, shape, kI), range);
  const Plane q_x = prepared(weighted_channels(truth, shape, kQ), range);
  const Plane q_y = prepared(weighted_channels(guess, shape, kQ), range);
  std::vector<double> out;
  for (std::size_t i = 0; i < i_x.values.size(); ++i) {
    const double both =
        similarity(i_x.values[i], i_y.values[i], kT34) * similarity(q_x.values[i], q_y.values[i], kT34);
    const double power = std::pow(std::abs(both), kLambda);
    out.push_back(both < 0 ? power * std::cos(kLambda * std::numbers::pi) : power);
  }
  return out;
}

double weighted_mean(const SimilarityMap& map) {
  const double total = std::accumulate(map.weight.begin(), map.weight.end(), 0.0);
  const double result =
      total > 0
          ? std::inner_product(map.similarity.begin(), map.similarity.end(), map.weight.begin(), 0.0) / total
          : std::accumulate(map.similarity.begin(), map.similarity.end(), 0.0) /
                static_cast<double>(map.similarity.size());
  if (!std::isfinite(result)) fail(Fault::kNumeric, "FSIM of a value that is too large");
  return result;
}

SimilarityMap brightness_map(std::span<const double> truth, std::span<const double> guess,
                             const ImageShape& shape, double range) {
  return luminance_map(prepared(luma(truth, shape), range), prepared(luma(guess, shape), range));
}

}  // namespace

double fsim(std::span<const double> truth, std::span<const double> guess, const ImageShape& shape,
            double range) {
  check_images("FSIM", truth, guess, shape, range);
  return weighted_mean(brightness_map(truth, guess, shape, range));
}

double fsim_colour(std::span<const double> truth, std::span<const double> guess, const ImageShape& shape,
                   double range) {
  check_images("FSIMc", truth, guess, shape, range);
  if (shape.channels != 3) {
    fail(Fault::kConfig,
         fmt::format("FSIMc compares RGB images, not {} channels; use FSIM for grey ones", shape.channels));
  }
  SimilarityMap map = brightness_map(truth, guess, shape, range);
  const std::vector<double> factor = chrominance_factor(truth, guess, shape, range);
  for (std::size_t i = 0; i < factor.size(); ++i) map.similarity[i] *= factor[i];
  return weighted_mean(map);
}

}  // namespace earshot
