#include "earshot/metric/fsim.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/data/catalogue/test_data.hpp"
#include "earshot/metric/phase_congruency.hpp"
#include "earshot/metric/plane.hpp"
#include "earshot/metric/test_images.hpp"

namespace earshot {
namespace {

using testing::mirrored;
using testing::noisy;
using testing::random_image;
using Complex = std::complex<double>;
constexpr double kPi = std::numbers::pi;

// ---- FSIM the slow way: filters as kernels in space, circular convolution by a double loop, noise energies
// summed over pixels. Nothing is shared with the code under test. ----

int signed_index(int index, int size) {
  return 2 * index < size ? index : index - size;
}

/// The log-Gabor filter's transfer function at one frequency.
double naive_filter(double y, double x, int scale, int orientation) {
  const double radius = std::sqrt(x * x + y * y);
  if (radius == 0) return 0;
  const double centre = 1 / (6 * std::pow(2, scale));
  const double radial = std::exp(-std::pow(std::log(radius / centre), 2) / (2 * std::pow(std::log(0.55), 2)));
  const double low_pass = 1 / (1 + std::pow(radius / 0.45, 2 * 15));
  double angle = std::abs(std::atan2(-y, x) - orientation * kPi / 4);
  if (angle > kPi) angle = 2 * kPi - angle;
  const double deviation = kPi / 4 / 1.2;
  return radial * low_pass * std::exp(-angle * angle / (2 * deviation * deviation));
}

/// The filter's impulse response by a direct inverse transform.
std::vector<Complex> naive_kernel(int height, int width, int scale, int orientation) {
  std::vector<Complex> out(static_cast<std::size_t>(height * width));
  for (int v = 0; v < height; ++v) {
    for (int u = 0; u < width; ++u) {
      const double fy = static_cast<double>(signed_index(v, height)) / height;
      const double fx = static_cast<double>(signed_index(u, width)) / width;
      const double gain = naive_filter(fy, fx, scale, orientation) / (height * width);
      for (int i = 0; i < height * width; ++i) {
        const double phase = 2 * kPi * (fy * (i / width) + fx * (i % width));
        out[static_cast<std::size_t>(i)] += gain * Complex(std::cos(phase), std::sin(phase));
      }
    }
  }
  return out;
}

std::vector<Complex> circular_convolution(const PlaneView& plane, const std::vector<Complex>& kernel) {
  std::vector<Complex> out(kernel.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (std::size_t j = 0; j < out.size(); ++j) {
      const std::size_t y = (i / plane.width + plane.height - j / plane.width) % plane.height;
      const std::size_t x = (i % plane.width + plane.width - j % plane.width) % plane.width;
      out[i] += plane.values[j] * kernel[y * plane.width + x];
    }
  }
  return out;
}

double naive_median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/// Kovesi's threshold: noise power from the smallest scale, its energy in the sum of the scales' even
/// filters.
double naive_threshold(const std::vector<std::vector<Complex>>& kernels,
                       const std::vector<Complex>& smallest) {
  std::vector<double> squares;
  for (const Complex& value : smallest) squares.push_back(std::norm(value));
  double smallest_power = 0;
  for (const Complex& value : kernels[0]) smallest_power += std::norm(value);
  const double power = -naive_median(squares) / std::log(0.5) / smallest_power;
  double sum_squares = 0;
  double sum_products = 0;
  for (std::size_t i = 0; i < kernels[0].size(); ++i) {
    for (std::size_t s = 0; s < 4; ++s) {
      sum_squares += kernels[s][i].real() * kernels[s][i].real();
      for (std::size_t t = s + 1; t < 4; ++t) sum_products += kernels[s][i].real() * kernels[t][i].real();
    }
  }
  const double tau = std::sqrt((2 * power * sum_squares + 4 * power * sum_products) / 2);
  return (tau * std::sqrt(kPi / 2) + 2 * std::sqrt((2 - kPi / 2) * tau * tau)) / 1.7;
}

std::vector<double> naive_phase_congruency(const PlaneView& plane) {
  const std::size_t size = plane.values.size();
  std::vector<double> energies(size, 0.0);
  std::vector<double> amplitudes(size, 1e-4);
  for (int orientation = 0; orientation < 4; ++orientation) {
    std::vector<std::vector<Complex>> kernels;
    std::vector<std::vector<Complex>> responses;
    for (int scale = 0; scale < 4; ++scale) {
      kernels.push_back(
          naive_kernel(static_cast<int>(plane.height), static_cast<int>(plane.width), scale, orientation));
      responses.push_back(circular_convolution(plane, kernels.back()));
    }
    const double threshold = naive_threshold(kernels, responses[0]);
    for (std::size_t i = 0; i < size; ++i) {
      double even = 0;
      double odd = 0;
      for (const auto& response : responses) {
        even += response[i].real();
        odd += response[i].imag();
        amplitudes[i] += std::abs(response[i]);
      }
      const double length = std::sqrt(even * even + odd * odd) + 1e-4;
      double energy = 0;
      for (const auto& response : responses) {
        const double e = response[i].real();
        const double o = response[i].imag();
        energy += (e * even + o * odd) / length - std::abs(e * odd - o * even) / length;
      }
      energies[i] += std::max(0.0, energy - threshold);
    }
  }
  for (std::size_t i = 0; i < size; ++i) energies[i] /= amplitudes[i];
  return energies;
}

/// 3x3 correlation, pixels outside being 0.
double correlation_at(const PlaneView& plane, int y, int x,
                      const std::array<std::array<double, 3>, 3>& kernel) {
  double sum = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      if (y + dy < 0 || x + dx < 0 || y + dy >= static_cast<int>(plane.height) ||
          x + dx >= static_cast<int>(plane.width))
        continue;
      sum += kernel[static_cast<std::size_t>(dy + 1)][static_cast<std::size_t>(dx + 1)] *
             plane.at(static_cast<std::size_t>(y + dy), static_cast<std::size_t>(x + dx));
    }
  }
  return sum;
}

std::vector<double> naive_gradient(const PlaneView& plane) {
  const std::array<std::array<double, 3>, 3> across{{{-3, 0, 3}, {-10, 0, 10}, {-3, 0, 3}}};
  const std::array<std::array<double, 3>, 3> down{{{-3, -10, -3}, {0, 0, 0}, {3, 10, 3}}};
  std::vector<double> out;
  for (int y = 0; y < static_cast<int>(plane.height); ++y) {
    for (int x = 0; x < static_cast<int>(plane.width); ++x) {
      const double gx = correlation_at(plane, y, x, across) / 16;
      const double gy = correlation_at(plane, y, x, down) / 16;
      out.push_back(std::sqrt(gx * gx + gy * gy));
    }
  }
  return out;
}

/// Pixel i of an RGB image in 0 ... 255, in YIQ.
std::array<double, 3> naive_yiq(const std::vector<double>& image, std::size_t i, std::size_t plane) {
  const double r = 255 * image[i];
  const double g = 255 * image[plane + i];
  const double b = 255 * image[2 * plane + i];
  return {0.299 * r + 0.587 * g + 0.114 * b, 0.596 * r - 0.274 * g - 0.322 * b,
          0.211 * r - 0.523 * g + 0.312 * b};
}

struct NaiveFsim {
  double fsim;
  double colour;
};

NaiveFsim naive_fsim(const std::vector<double>& truth, const std::vector<double>& guess, std::size_t height,
                     std::size_t width) {
  const std::size_t plane = height * width;
  std::vector<double> y1;
  std::vector<double> y2;
  for (std::size_t i = 0; i < plane; ++i) {
    y1.push_back(naive_yiq(truth, i, plane)[0]);
    y2.push_back(naive_yiq(guess, i, plane)[0]);
  }
  const auto pc1 = naive_phase_congruency({height, width, y1});
  const auto pc2 = naive_phase_congruency({height, width, y2});
  const auto g1 = naive_gradient({height, width, y1});
  const auto g2 = naive_gradient({height, width, y2});
  double total = 0;
  double grey = 0;
  double colour = 0;
  for (std::size_t i = 0; i < plane; ++i) {
    const auto [ya, ia, qa] = naive_yiq(truth, i, plane);
    const auto [yb, ib, qb] = naive_yiq(guess, i, plane);
    const double s_pc = (2 * pc1[i] * pc2[i] + 0.85) / (pc1[i] * pc1[i] + pc2[i] * pc2[i] + 0.85);
    const double s_g = (2 * g1[i] * g2[i] + 160) / (g1[i] * g1[i] + g2[i] * g2[i] + 160);
    const double s_i = (2 * ia * ib + 200) / (ia * ia + ib * ib + 200);
    const double s_q = (2 * qa * qb + 200) / (qa * qa + qb * qb + 200);
    const double weight = std::max(pc1[i], pc2[i]);
    total += weight;
    grey += weight * s_pc * s_g;
    colour += weight * s_pc * s_g * std::pow(Complex(s_i * s_q, 0.0), 0.03).real();
  }
  return {grey / total, colour / total};
}

std::vector<double> tripled(const std::vector<double>& grey) {
  std::vector<double> out;
  for (int channel = 0; channel < 3; ++channel) out.insert(out.end(), grey.begin(), grey.end());
  return out;
}

// ---- the tests ----

// Bright bar and dark corner on a slope, in grey levels.
std::vector<double> drawing(std::size_t height, std::size_t width) {
  std::vector<double> image(height * width);
  for (std::size_t i = 0; i < image.size(); ++i) {
    const std::size_t y = i / width;
    const std::size_t x = i % width;
    image[i] = 40 + 3 * static_cast<double>(x) + (y >= 3 && y <= 6 ? 120 : 0) - (x < 3 && y > 7 ? 30 : 0);
  }
  return image;
}

TEST(PhaseCongruency, EqualsConvolutionWithTheFilters) {
  for (const auto& [height, width] :
       std::vector<std::pair<std::size_t, std::size_t>>{{12, 10}, {9, 14}, {11, 7}, {1, 6}}) {
    const std::vector<double> image = drawing(height, width);
    const PlaneView plane{height, width, image};
    const std::vector<double> fast = PhaseCongruency(height, width)(plane);
    const std::vector<double> slow = naive_phase_congruency(plane);
    for (std::size_t i = 0; i < image.size(); ++i) EXPECT_NEAR(fast[i], slow[i], 1e-10) << i;
    if (height > 1) {
      EXPECT_GT(*std::max_element(fast.begin(), fast.end()), 0.1);
    }
  }
}

// Kovesi's reason for the measure: a feature is a feature at any contrast and brightness.
TEST(PhaseCongruency, DoesNotDependOnContrastOrBrightness) {
  const std::vector<double> image = drawing(24, 20);
  std::vector<double> changed = image;
  for (double& value : changed) value = 4000 + 10 * value;
  const PhaseCongruency phase_congruency(24, 20);
  const std::vector<double> before = phase_congruency({24, 20, image});
  const std::vector<double> after = phase_congruency({24, 20, changed});
  for (std::size_t i = 0; i < image.size(); ++i) EXPECT_NEAR(before[i], after[i], 1e-4);
}

// A step across the middle: the features are its two rows (and, the plane being periodic, the first and
// last). Halfway to the centre of a plateau, which is symmetric and so a faint feature itself, there is none.
TEST(PhaseCongruency, FindsAnEdgeWhereItIs) {
  std::vector<double> image(64 * 64, 20.0);
  std::fill(image.begin() + 32 * 64, image.end(), 200.0);
  const std::vector<double> result = PhaseCongruency(64, 64)({64, 64, image});
  for (const std::size_t row : {0, 31, 32, 63}) EXPECT_GT(result[row * 64 + 30], 0.5) << row;
  for (const std::size_t row : {8, 24, 40, 56}) EXPECT_LT(result[row * 64 + 30], 0.25) << row;
}

TEST(PhaseCongruency, LiesInTheUnitIntervalAndIsZeroWithoutFeatures) {
  Stream stream(StreamName{.seed = 51});
  const std::vector<double> image = random_image({1, 30, 31}, stream);
  for (const double value : PhaseCongruency(30, 31)({30, 31, image})) {
    EXPECT_GE(value, 0);
    EXPECT_LE(value, 1);
  }
  for (const double level : {0.0, 0.1, 77.7}) {
    const std::vector<double> constant(30 * 31, level);
    for (const double value : PhaseCongruency(30, 31)({30, 31, constant})) EXPECT_EQ(value, 0);
  }
  EXPECT_EQ(PhaseCongruency(1, 1)({1, 1, std::vector<double>{5}})[0], 0);
  EXPECT_THROW(PhaseCongruency(3, 3)({3, 2, std::vector<double>(6)}), Error);
}

TEST(Fsim, EqualsTheSlowComputation) {
  Stream stream(StreamName{.seed = 52});
  for (const ImageShape& shape : {ImageShape{3, 12, 10}, ImageShape{3, 9, 13}, ImageShape{3, 2, 5}}) {
    const std::vector<double> truth = random_image(shape, stream);
    // A little noise, and an independent image: complementary colours occur.
    for (const auto& guess : {noisy(truth, 0.1, stream), random_image(shape, stream)}) {
      const NaiveFsim expected = naive_fsim(truth, guess, shape.height, shape.width);
      EXPECT_NEAR(fsim(truth, guess, shape, 1), expected.fsim, 1e-10);
      EXPECT_NEAR(fsim_colour(truth, guess, shape, 1), expected.colour, 1e-10);
    }
  }
}

TEST(Fsim, GreyIsThreeEqualChannels) {
  Stream stream(StreamName{.seed = 53});
  const ImageShape grey{1, 16, 18};
  const ImageShape rgb{3, 16, 18};
  const std::vector<double> x = random_image(grey, stream);
  const std::vector<double> y = noisy(x, 0.2, stream);
  const double value = fsim(x, y, grey, 1);
  EXPECT_NEAR(fsim(tripled(x), tripled(y), rgb, 1), value, 1e-12);
  EXPECT_NEAR(fsim_colour(tripled(x), tripled(y), rgb, 1), value, 1e-12);  // no colours, nothing to differ
}

TEST(Fsim, LawsOfASimilarity) {
  Stream stream(StreamName{.seed = 54});
  const ImageShape shape{3, 20, 23};  // an odd width has the same frequencies mirrored
  const std::vector<double> x = random_image(shape, stream);
  const std::vector<double> y = noisy(x, 0.3, stream);
  EXPECT_NEAR(fsim(x, x, shape, 1), 1, 1e-14);
  EXPECT_NEAR(fsim_colour(x, x, shape, 1), 1, 1e-14);
  EXPECT_NEAR(fsim(x, y, shape, 1), fsim(y, x, shape, 1), 1e-14);
  EXPECT_NEAR(fsim_colour(x, y, shape, 1), fsim_colour(y, x, shape, 1), 1e-14);
  EXPECT_LE(fsim_colour(x, y, shape, 1), fsim(x, y, shape, 1));
  EXPECT_NEAR(fsim(mirrored(x, shape), mirrored(y, shape), shape, 1), fsim(x, y, shape, 1), 1e-12);
  std::vector<double> bytes_x = x;
  std::vector<double> bytes_y = y;
  for (double& value : bytes_x) value *= 255;
  for (double& value : bytes_y) value *= 255;
  EXPECT_NEAR(fsim(bytes_x, bytes_y, shape, 255), fsim(x, y, shape, 1), 1e-12);
}

// A side of 384 rounds to 1.5, that is 2, times 256: every second pixel repeated changes nothing.
TEST(Fsim, LargeImagesAreAveragedDown) {
  Stream stream(StreamName{.seed = 55});
  const ImageShape small{1, 192, 200};
  const ImageShape large{1, 384, 400};
  const std::vector<double> x = random_image(small, stream);
  const std::vector<double> y = noisy(x, 0.2, stream);
  const auto enlarged = [&](const std::vector<double>& image) {
    std::vector<double> out(large.size());
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = image[i / large.width / 2 * small.width + i % large.width / 2];
    return out;
  };
  EXPECT_NEAR(fsim(enlarged(x), enlarged(y), large, 1), fsim(x, y, small, 1), 1e-12);
}

// No feature anywhere: a plain mean over pixels. Only the edge of the picture has gradients.
TEST(Fsim, ConstantImagesAreComparedPixelByPixel) {
  const ImageShape shape{1, 12, 12};
  const std::vector<double> dark(shape.size(), 0.1);
  const std::vector<double> bright(shape.size(), 0.9);
  EXPECT_NEAR(fsim(dark, dark, shape, 1), 1, 1e-15);
  const double value = fsim(dark, bright, shape, 1);
  EXPECT_GT(value, 100.0 / 144);  // the inner 10x10 pixels are alike
  EXPECT_LT(value, 1);
}

TEST(Fsim, FallsWithNoiseOnRealImages) {
  EARSHOT_NEEDS_DATASET("cifar10");
  const ImageDataset dataset = testing::real_images("cifar10");
  Stream stream(StreamName{.seed = 56});
  testing::expect_falls_with_noise(dataset, 3, {0.02, 0.05, 0.1, 0.2, 0.5}, stream,
                                   [](const auto& x, const auto& y, const ImageShape& shape, double range) {
                                     return fsim_colour(x, y, shape, range);
                                   });
  for (std::size_t index = 0; index < 3; ++index) {
    const std::vector<double> truth = to_unit(dataset.image(index));
    // A stranger's picture is less similar than the picture in noise.
    const std::vector<double> stranger = to_unit(dataset.image(index + 50));
    EXPECT_LT(fsim_colour(truth, stranger, dataset.shape, 1),
              fsim_colour(truth, noisy(truth, 0.1, stream), dataset.shape, 1));
  }
}

TEST(Fsim, RefusesWhatHasNoAnswer) {
  const ImageShape grey{1, 4, 4};
  const std::vector<double> image(16, 0.5);
  EXPECT_THROW(fsim_colour(image, image, grey, 1), Error);
  EXPECT_THROW(fsim(image, image, {2, 2, 4}, 1), Error);
  EXPECT_THROW(fsim(image, image, grey, 0), Error);
  EXPECT_THROW(fsim(image, std::vector<double>(15), grey, 1), Error);
  for (const double bad : {std::nan(""), 1e200}) {
    std::vector<double> broken = image;
    broken[5] = bad;
    EXPECT_THROW(fsim(image, broken, grey, 1), Error);
  }
}

}  // namespace
}  // namespace earshot
