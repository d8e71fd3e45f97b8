#include "earshot/metric/gradient_psnr.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "earshot/core/error.hpp"
#include "earshot/metric/reconstruction.hpp"
#include "earshot/metric/test_images.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using testing::random_image;

// An impulse shows the operator itself: squares add up to 20, the gain for white noise.
TEST(GradientPsnr, TheOperatorIsTheLaplacian) {
  std::vector<double> impulse(25, 0.0);
  impulse[12] = 1;
  const Plane response = laplacian({5, 5, impulse});
  double squares = 0;
  for (const double value : response.values) squares += value * value;
  EXPECT_EQ(squares, 20);
  EXPECT_EQ(response.values[12], -4);
  for (const std::size_t neighbour : {7, 11, 13, 17}) EXPECT_EQ(response.values[neighbour], 1);
}

// x² + 3 y² has Laplacian 8 inside; the mirror about the edge pixel changes the edges as written out.
TEST(GradientPsnr, EdgesAreMirrored) {
  EXPECT_THAT(laplacian({1, 4, std::vector<double>{0, 1, 4, 9}}).values, ElementsAre(2, 2, 2, -10));
  std::vector<double> paraboloid;
  for (int i = 0; i < 36; ++i) paraboloid.push_back((i % 6) * (i % 6) + 3 * (i / 6) * (i / 6));
  const Plane response = laplacian({6, 6, paraboloid});
  for (std::size_t i = 0; i < 36; ++i) {
    if (i / 6 % 5 != 0 && i % 6 % 5 != 0) {
      EXPECT_EQ(response.values[i], 8);
    }
  }
  EXPECT_THAT(laplacian({1, 1, std::vector<double>{7}}).values, ElementsAre(0));
}

// PSNR − 10 log10(20) for white noise. The mean square of 256² responses has a relative deviation below
// 0.01 (about 0.045 dB, the noise being correlated over a few pixels): six of them stay below 0.3 dB.
TEST(GradientPsnr, OfWhiteNoiseIsThirteenDecibelLower) {
  Stream stream(StreamName{.seed = 71});
  const ImageShape shape{1, 256, 256};
  const std::vector<double> truth = random_image(shape, stream);
  std::vector<double> guess = truth;
  for (double& value : guess) value += 0.05 * stream.normal();
  EXPECT_NEAR(gradient_psnr(truth, guess, shape, 1), psnr(truth, guess, 1) - 10 * std::log10(20), 0.3);
}

TEST(GradientPsnr, IgnoresBrightnessAndSlopes) {
  Stream stream(StreamName{.seed = 72});
  const ImageShape shape{3, 14, 15};
  const std::vector<double> truth = random_image(shape, stream);
  EXPECT_EQ(gradient_psnr(truth, truth, shape, 1), kPsnrCeiling);
  std::vector<double> brighter = truth;
  for (double& value : brighter) value += 0.25;
  EXPECT_GT(gradient_psnr(truth, brighter, shape, 1), 140);
  EXPECT_LT(psnr(truth, brighter, 1), 13);
}

TEST(GradientPsnr, ComparesTheBrightnessOfColours) {
  Stream stream(StreamName{.seed = 73});
  const ImageShape shape{3, 8, 8};
  const std::vector<double> truth = random_image(shape, stream);
  const std::vector<double> guess = testing::noisy(truth, 0.2, stream);
  const ImageShape grey{1, 8, 8};
  EXPECT_EQ(gradient_psnr(truth, guess, shape, 1),
            gradient_psnr(luma(truth, shape).values, luma(guess, shape).values, grey, 1));
  EXPECT_THROW(gradient_psnr(truth, guess, {2, 8, 12}, 1), Error);
  EXPECT_THROW(gradient_psnr(truth, guess, shape, 0), Error);
}

}  // namespace
}  // namespace earshot
