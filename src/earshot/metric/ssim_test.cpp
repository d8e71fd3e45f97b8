#include "earshot/metric/ssim.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"

namespace earshot {
namespace {

std::vector<double> random_image(const ImageShape& shape, Stream& stream) {
  std::vector<double> image(shape.size());
  for (double& value : image) value = stream.uniform();
  return image;
}

/// One window position, straight from eq. 13-16: a direct sum over the 2-D window, variances around the mean.
double naive_index(const double* x, const double* y, std::size_t width, std::size_t side, double range) {
  std::vector<double> weights;
  double total = 0;
  const double centre = static_cast<double>(side - 1) / 2;
  for (std::size_t i = 0; i < side * side; ++i) {
    const double dy = static_cast<double>(i / side) - centre;
    const double dx = static_cast<double>(i % side) - centre;
    weights.push_back(std::exp(-(dx * dx + dy * dy) / (2 * 1.5 * 1.5)));
    total += weights.back();
  }
  const auto expectation = [&](auto value) {
    double sum = 0;
    for (std::size_t i = 0; i < side * side; ++i)
      sum += weights[i] / total * value(i / side * width + i % side);
    return sum;
  };
  const double mx = expectation([&](std::size_t k) { return x[k]; });
  const double my = expectation([&](std::size_t k) { return y[k]; });
  const double vx = expectation([&](std::size_t k) { return (x[k] - mx) * (x[k] - mx); });
  const double vy = expectation([&](std::size_t k) { return (y[k] - my) * (y[k] - my); });
  const double cov = expectation([&](std::size_t k) { return (x[k] - mx) * (y[k] - my); });
  const double c1 = 0.01 * range * 0.01 * range;
  const double c2 = 0.03 * range * 0.03 * range;
  return (2 * mx * my + c1) * (2 * cov + c2) / ((mx * mx + my * my + c1) * (vx + vy + c2));
}

double naive_ssim(const std::vector<double>& x, const std::vector<double>& y, const ImageShape& shape,
                  std::size_t side, double range) {
  double sum = 0;
  std::size_t positions = 0;
  for (std::size_t c = 0; c < shape.channels; ++c) {
    for (std::size_t top = 0; top + side <= shape.height; ++top) {
      for (std::size_t left = 0; left + side <= shape.width; ++left, ++positions) {
        const std::size_t at = (c * shape.height + top) * shape.width + left;
        sum += naive_index(&x[at], &y[at], shape.width, side, range);
      }
    }
  }
  return sum / static_cast<double>(positions);
}

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
      EXPECT_NEAR(ssim(x, y, c.shape, range), naive_ssim(x, y, c.shape, c.side, range), 1e-12);
    }
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
  EXPECT_NEAR(ssim(x, y, shape, 1), naive_ssim(x, y, shape, 11, 1), 1e-10 * std::abs(ssim(x, y, shape, 1)));
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
  EXPECT_THROW(ssim(image, std::vector<double>(4, std::numeric_limits<double>::infinity()), shape, 1), Error);
}

}  // namespace
}  // namespace earshot
