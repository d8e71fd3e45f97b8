#include "earshot/metric/ms_ssim.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/data/catalogue/test_data.hpp"
#include "earshot/metric/test_images.hpp"

namespace earshot {
namespace {

using testing::mirrored;
using testing::naive_terms;
using testing::noisy;
using testing::random_image;

/// 2x2 means of a grey image of even sides.
std::vector<double> naive_halved(const std::vector<double>& image, const ImageShape& shape) {
  std::vector<double> out;
  for (std::size_t y = 0; y < shape.height; y += 2) {
    for (std::size_t x = 0; x < shape.width; x += 2) {
      const std::size_t at = y * shape.width + x;
      out.push_back((image[at] + image[at + 1] + image[at + shape.width] + image[at + shape.width + 1]) / 4);
    }
  }
  return out;
}

/// Blocks of constant brightness with noise: something to compare at every scale.
std::vector<double> blocks(const ImageShape& shape, Stream& stream) {
  std::vector<double> image = random_image(shape, stream);
  for (std::size_t i = 0; i < image.size(); ++i) {
    const std::size_t block = i / shape.width / 16 * 5 + i % shape.width / 16 * 3;
    image[i] = 0.1 * image[i] + 0.09 * static_cast<double>(block % 10);
  }
  return image;
}

// 176 pixels leave 11 at the fifth scale. All weights, every scale by the direct sum over windows.
TEST(MsSsim, EqualsTheDefinitionOnFiveScales) {
  Stream stream(StreamName{.seed = 31});
  ImageShape shape{1, 176, 176};
  std::vector<double> x = blocks(shape, stream);
  std::vector<double> y = noisy(x, 0.15, stream);
  const double product = ms_ssim(x, y, shape, 1);
  const double average = ms_ssim(x, y, shape, 1, ScaleCombination::kAsPublished);
  double expected_product = 1;
  double expected_average = 0;
  const std::vector<double> weights{0.0448, 0.2856, 0.3001, 0.2363, 0.1333};
  for (std::size_t scale = 0; scale < 5; ++scale) {
    const SsimTerms terms = naive_terms(x, y, shape, 11, 1);
    expected_product *= std::pow(scale == 4 ? terms.index : terms.contrast_structure, weights[scale]);
    expected_average += terms.index / 5;
    if (scale == 4) break;
    x = naive_halved(x, shape);
    y = naive_halved(y, shape);
    shape = {1, shape.height / 2, shape.width / 2};
  }
  EXPECT_NEAR(product, expected_product, 1e-12);
  EXPECT_NEAR(average, expected_average, 1e-12);
  EXPECT_GT(std::abs(product - average), 0.01);
}

// 28x28 has two scales; their published weights add up to 0.3304.
TEST(MsSsim, WeightsOfFewerScalesAddUpToOne) {
  Stream stream(StreamName{.seed = 32});
  const ImageShape shape{1, 28, 28};
  const ImageShape half{1, 14, 14};
  const std::vector<double> x = blocks(shape, stream);
  const std::vector<double> y = noisy(x, 0.1, stream);
  const double fine = naive_terms(x, y, shape, 11, 1).contrast_structure;
  const double coarse = naive_terms(naive_halved(x, shape), naive_halved(y, shape), half, 11, 1).index;
  EXPECT_NEAR(ms_ssim(x, y, shape, 1), std::pow(fine, 0.0448 / 0.3304) * std::pow(coarse, 0.2856 / 0.3304),
              1e-12);
}

TEST(MsSsim, IsSsimWhereOnlyOneScaleFits) {
  Stream stream(StreamName{.seed = 33});
  for (const ImageShape& shape : {ImageShape{1, 20, 40}, ImageShape{2, 8, 8}, ImageShape{3, 1, 1}}) {
    const std::vector<double> x = random_image(shape, stream);
    std::vector<double> negative = x;
    for (double& value : negative) value = 1 - value;
    for (const auto& y : {noisy(x, 0.3, stream), negative}) {
      EXPECT_EQ(ms_ssim(x, y, shape, 1), ssim(x, y, shape, 1));
      EXPECT_EQ(ms_ssim(x, y, shape, 1, ScaleCombination::kAsPublished), ssim(x, y, shape, 1));
    }
  }
}

TEST(MsSsim, ScalesBySize) {
  const std::vector<std::pair<std::size_t, std::size_t>> published{
      {1, 1},  {11, 1}, {20, 1},  {21, 2},  {28, 2},  {32, 2},    {41, 3},
      {80, 3}, {81, 4}, {160, 4}, {161, 5}, {224, 5}, {100000, 5}};
  for (const auto& [side, scales] : published) EXPECT_EQ(ms_ssim_scales(side), scales) << side;
}

TEST(MsSsim, LawsOfASimilarity) {
  Stream stream(StreamName{.seed = 34});
  const ImageShape shape{3, 45, 48};
  const std::vector<double> x = random_image(shape, stream);
  const std::vector<double> y = noisy(x, 0.2, stream);
  const double value = ms_ssim(x, y, shape, 1);
  EXPECT_EQ(ms_ssim(x, x, shape, 1), 1);
  EXPECT_NEAR(ms_ssim(y, x, shape, 1), value, 1e-14);
  EXPECT_GT(value, 0);
  EXPECT_LT(value, 1);
  EXPECT_NEAR(ms_ssim(mirrored(x, shape), mirrored(y, shape), shape, 1), value, 1e-12);
  std::vector<double> large_x = x;
  std::vector<double> large_y = y;
  for (double& pixel : large_x) pixel *= 255;
  for (double& pixel : large_y) pixel *= 255;
  EXPECT_NEAR(ms_ssim(large_x, large_y, shape, 255), value, 1e-12);
}

// Each channel has its own product; a colour image of three equal channels is its grey image.
TEST(MsSsim, ChannelsAreAveraged) {
  Stream stream(StreamName{.seed = 35});
  const ImageShape grey{1, 30, 30};
  std::vector<double> x;
  std::vector<double> y;
  double sum = 0;
  for (const double noise : {0.05, 0.2, 0.5}) {
    const std::vector<double> channel = random_image(grey, stream);
    const std::vector<double> guess = noisy(channel, noise, stream);
    sum += ms_ssim(channel, guess, grey, 1);
    x.insert(x.end(), channel.begin(), channel.end());
    y.insert(y.end(), guess.begin(), guess.end());
  }
  EXPECT_NEAR(ms_ssim(x, y, {3, 30, 30}, 1), sum / 3, 1e-14);
}

// The negative has structure −1 nearly everywhere: a real power of it does not exist.
TEST(MsSsim, TheNegativeOfAnImageScoresZero) {
  Stream stream(StreamName{.seed = 36});
  const ImageShape shape{1, 64, 64};
  const std::vector<double> x = random_image(shape, stream);
  std::vector<double> negative = x;
  for (double& value : negative) value = 1 - value;
  EXPECT_LT(ssim(x, negative, shape, 1), -0.5);
  EXPECT_EQ(ms_ssim(x, negative, shape, 1), 0);
}

TEST(MsSsim, FallsWithNoiseOnRealImages) {
  EARSHOT_NEEDS_DATASET("mnist");
  const ImageDataset dataset = testing::real_images("mnist");
  Stream stream(StreamName{.seed = 37});
  testing::expect_falls_with_noise(dataset, 10, {0.05, 0.1, 0.2, 0.4, 0.8}, stream,
                                   [](const auto& x, const auto& y, const ImageShape& shape, double range) {
                                     return ms_ssim(x, y, shape, range);
                                   });
}

TEST(MsSsim, RefusesWhatHasNoAnswer) {
  const ImageShape shape{1, 22, 22};
  const std::vector<double> image(shape.size(), 0.5);
  std::vector<double> bad = image;
  for (const double value : {std::nan(""), 1e200}) {
    bad[3] = value;
    EXPECT_THROW(ms_ssim(image, bad, shape, 1), Error);
  }
  EXPECT_THROW(ms_ssim(image, image, shape, 0), Error);
  EXPECT_THROW(ms_ssim(image, image, {1, 22, 21}, 1), Error);
}

}  // namespace
}  // namespace earshot
