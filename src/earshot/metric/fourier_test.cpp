#include "earshot/metric/fourier.hpp"

#include <numbers>

#include <gtest/gtest.h>

#include "earshot/metric/test_images.hpp"

namespace earshot {
namespace {

std::complex<double> naive_entry(const PlaneView& plane, std::size_t v, std::size_t u) {
  std::complex<double> sum = 0;
  for (std::size_t y = 0; y < plane.height; ++y) {
    for (std::size_t x = 0; x < plane.width; ++x) {
      const double turns = static_cast<double>(v * y) / static_cast<double>(plane.height) +
                           static_cast<double>(u * x) / static_cast<double>(plane.width);
      sum += plane.at(y, x) * std::polar(1.0, -2 * std::numbers::pi * turns);
    }
  }
  return sum;
}

// Sizes with every kind of factor: powers of two, mixed, primes, lines and a single pixel.
TEST(Fourier, EqualsTheDirectSumForAnySize) {
  Stream stream(StreamName{.seed = 41});
  for (const auto& [height, width] : std::vector<std::pair<std::size_t, std::size_t>>{
           {8, 8}, {12, 10}, {7, 13}, {1, 9}, {11, 1}, {1, 1}, {2, 15}, {17, 4}}) {
    const std::vector<double> image = testing::random_image({1, height, width}, stream);
    const PlaneView plane{height, width, image};
    const Spectrum spectrum = fourier(plane);
    for (std::size_t i = 0; i < image.size(); ++i)
      EXPECT_LT(std::abs(spectrum[i] - naive_entry(plane, i / width, i % width)), 1e-12);
    const Spectrum back = inverse_fourier(spectrum, height, width);
    for (std::size_t i = 0; i < image.size(); ++i) EXPECT_LT(std::abs(back[i] - image[i]), 1e-14);
  }
}

TEST(Fourier, FrequenciesOfEntries) {
  EXPECT_EQ(frequency(0, 1), 0);
  EXPECT_EQ(frequency(1, 4), 0.25);
  EXPECT_EQ(frequency(2, 4), -0.5);
  EXPECT_EQ(frequency(3, 4), -0.25);
  EXPECT_EQ(frequency(2, 5), 0.4);
  EXPECT_EQ(frequency(3, 5), -0.4);
}

}  // namespace
}  // namespace earshot
