#include "earshot/metric/ssim.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"
#include "earshot/metric/test_images.hpp"

namespace earshot {
namespace {

using testing::naive_terms;
using testing::random_image;

struct Case {
  ImageShape shape;
  std::size_t side;  // of the window that the rule for small images gives
};

TEST(Ssim, EqualsTheDefinition) {
  Stream stream(StreamName{.seed = 21});
  for (const Case& c : {Case{{1, 28, 28}, 11}, Case{{3, 32, 32}, 11}, Case{{2, 11, 17}, 11},
                        Case{{1, 10, 30}, 9}, Case{{1, 4, 4}, 3}, Case{{1, 1, 5}, 1}}) {
    for (const double range : {1.0, 255.0}) {
      std::vector<double> x = random_image(c.shape, stream);
      std::vector<double> y = random_image(c.shape, stream);
      for (std::size_t i = 0; i < x.size(); ++i) {
        y[i] = range * (0.7 * x[i] + 0.3 * y[i]);
        x[i] *= range;
      }
      EXPECT_NEAR(ssim(x, y, c.shape, range), naive_terms(x, y, c.shape, c.side, range).index, 1e-12);
    }
  }
}

TEST(Ssim, TheUniformWindowHasUnbiasedVariances) {
  Stream stream(StreamName{.seed = 26});
  for (const Case& c : {Case{{1, 28, 28}, 7}, Case{{3, 9, 12}, 7}, Case{{1, 6, 30}, 5}, Case{{1, 2, 2}, 1}}) {
    const std::vector<double> x = random_image(c.shape, stream);
    const std::vector<double> y = testing::noisy(x, 0.2, stream);
    EXPECT_NEAR(ssim(x, y, c.shape, 1, SsimWindow::kUniform),
                naive_terms(x, y, c.shape, c.side, 1, SsimWindow::kUniform).index, 1e-12);
    EXPECT_EQ(ssim(x, x, c.shape, 1, SsimWindow::kUniform), 1);
  }
}

TEST(Ssim, IsExactlyOneForEqualImages) {
  Stream stream(StreamName{.seed = 22});
  const ImageShape shape{3, 20, 13};
  for (const double scale : {1.0, 1e-12, 1e8}) {
    std::vector<double> image = random_image(shape, stream);
    for (double& value : image) value = (value + 100) * scale;
    EXPECT_EQ(ssim(image, image, shape, 1), 1.0);
  }
}

TEST(Ssim, IsSymmetricAndAtMostOneInMagnitude) {
  Stream stream(StreamName{.seed = 23});
  const ImageShape shape{1, 28, 28};
  for (const double scale : {1.0, 1e3, 1e9}) {
    const std::vector<double> x = random_image(shape, stream);
    std::vector<double> y = random_image(shape, stream);
    for (double& value : y) value = (value - 0.5) * scale;
    EXPECT_NEAR(ssim(x, y, shape, 1), ssim(y, x, shape, 1), 1e-15);
    EXPECT_LE(std::abs(ssim(x, y, shape, 1)), 1);
  }
}

TEST(Ssim, DoesNotDependOnTheUnit) {
  Stream stream(StreamName{.seed = 24});
  const ImageShape shape{1, 16, 16};
  std::vector<double> x = random_image(shape, stream);
  std::vector<double> y = random_image(shape, stream);
  const double before = ssim(x, y, shape, 1);
  for (double& value : x) value *= 255;
  for (double& value : y) value *= 255;
  EXPECT_NEAR(ssim(x, y, shape, 255), before, 1e-13);
}

// Two constant images: variances vanish and only the luminance term is left.
TEST(Ssim, ConstantImagesInClosedForm) {
  const ImageShape shape{1, 12, 12};
  const std::vector<double> x(shape.size(), 0.25);
  const std::vector<double> y(shape.size(), 0.75);
  EXPECT_NEAR(ssim(x, y, shape, 1), (2 * 0.25 * 0.75 + 1e-4) / (0.0625 + 0.5625 + 1e-4), 1e-14);
}

// A guess far off by a constant keeps its structure term: the variance must not drown in the offset.
TEST(Ssim, KeepsItsDigitsFarFromZero) {
  Stream stream(StreamName{.seed = 25});
  const ImageShape shape{1, 15, 15};
  const std::vector<double> x = random_image(shape, stream);
  std::vector<double> y = x;
  for (double& value : y) value += 1e6;
  EXPECT_NEAR(ssim(x, y, shape, 1), naive_terms(x, y, shape, 11, 1).index,
              1e-10 * std::abs(ssim(x, y, shape, 1)));
}

TEST(Ssim, WindowFollowsTheSmallerSide) {
  EXPECT_EQ(ssim_window(100).size(), 11u);
  EXPECT_EQ(ssim_window(10).size(), 9u);
  EXPECT_EQ(ssim_window(1).size(), 1u);
  const std::vector<double> window = ssim_window(28);
  EXPECT_NEAR(std::accumulate(window.begin(), window.end(), 0.0), 1, 1e-15);
}

TEST(Ssim, RefusesWhatHasNoAnswer) {
  const ImageShape shape{1, 2, 2};
  const std::vector<double> image(4, 0.5);
  EXPECT_THROW(ssim(image, std::vector<double>(3), shape, 1), Error);
  EXPECT_THROW(ssim({}, {}, ImageShape{}, 1), Error);
  EXPECT_THROW(ssim(image, image, shape, 0), Error);
  EXPECT_THROW(ssim(image, std::vector<double>(4, std::nan("")), shape, 1), Error);
  EXPECT_THROW(ssim(image, std::vector<double>{1e200, 0, 0, 1e200}, shape, 1), Error);
  EXPECT_THROW(ssim(image, std::vector<double>(4, std::numeric_limits<double>::infinity()), shape, 1), Error);
}

}  // namespace
}  // namespace earshot
