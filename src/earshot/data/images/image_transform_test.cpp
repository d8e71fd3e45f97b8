#include "earshot/data/images/image_transform.hpp"

#include <numeric>

#include <gmock/gmock.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pointwise;
using ::testing::ThrowsMessage;

Image pattern(const ImageShape& shape) {
  Image image{shape, Bytes(shape.size())};
  for (std::size_t i = 0; i < shape.size(); ++i)
    image.planes[i] = static_cast<std::uint8_t>((i * i + 3 * i) % 256);
  return image;
}

TEST(Resize, ConstantImagesStayConstant) {
  const std::vector<double> values(2 * 7 * 5, 0.3);
  for (const std::size_t height : {1, 3, 7, 20}) {
    for (const std::size_t width : {1, 2, 5, 31}) {
      const std::vector<double> out = resize(values, {2, 7, 5}, height, width);
      EXPECT_EQ(out.size(), 2 * height * width);
      EXPECT_THAT(out, Each(DoubleNear(0.3, 1e-14)));
    }
  }
  EXPECT_THAT(resize({{1, 4, 4}, Bytes(16, 201)}, 9, 3).planes, Each(201));
}

// Away from the border, and when one size divides the other, the sampled triangle is symmetric, so it
// averages a ramp to the value at its centre.
TEST(Resize, LinearRampsStayLinear) {
  constexpr std::size_t kHeight = 40;
  constexpr std::size_t kWidth = 60;
  std::vector<double> ramp;
  for (std::size_t y = 0; y < kHeight; ++y) {
    for (std::size_t x = 0; x < kWidth; ++x)
      ramp.push_back(3 * (static_cast<double>(x) + 0.5) - 2 * (static_cast<double>(y) + 0.5));
  }
  for (const auto& [height, width] : {std::pair<std::size_t, std::size_t>{20, 15}, {80, 180}, {8, 120}}) {
    const std::vector<double> out = resize(ramp, {1, kHeight, kWidth}, height, width);
    const double down = static_cast<double>(kHeight) / static_cast<double>(height);
    const double across = static_cast<double>(kWidth) / static_cast<double>(width);
    std::size_t inside = 0;
    for (std::size_t y = 0; y < height; ++y) {
      for (std::size_t x = 0; x < width; ++x) {
        const double cy = (static_cast<double>(y) + 0.5) * down;
        const double cx = (static_cast<double>(x) + 0.5) * across;
        const double ry = std::max(down, 1.0);
        const double rx = std::max(across, 1.0);
        if (cy < ry || cy > kHeight - ry || cx < rx || cx > kWidth - rx) continue;
        EXPECT_NEAR(out[y * width + x], 3 * cx - 2 * cy, 1e-11);
        ++inside;
      }
    }
    EXPECT_GT(inside, height * width / 2);
  }
}

TEST(Resize, SmallCasesByHand) {
  // Doubling two values: the outer outputs see one input only, the inner ones both at distances 1/4 and 3/4.
  EXPECT_THAT(resize(std::vector<double>{0, 8}, {1, 1, 2}, 1, 4), ElementsAre(0, 2, 6, 8));
  // Halving four: the triangle at 1 has half-width 2; inputs at 0.5, 1.5, 2.5 weigh 3/4, 3/4, 1/4 of 7/4.
  EXPECT_THAT(resize(std::vector<double>{7, 0, 0, 0}, {1, 1, 4}, 1, 2),
              Pointwise(DoubleNear(1e-12), {3.0, 0.0}));
  EXPECT_THAT(resize(std::vector<double>{0, 0, 7, 0}, {1, 4, 1}, 2, 1),
              Pointwise(DoubleNear(1e-12), {1.0, 3.0}));
  // All into one: the triangle at 2 has half-width 4; weights 5/8, 7/8, 7/8, 5/8 of 3.
  EXPECT_THAT(resize(std::vector<double>{24, 0, 0, 0}, {1, 1, 4}, 1, 1), ElementsAre(DoubleNear(5, 1e-12)));
}

TEST(Resize, TheSameSizeChangesNothing) {
  const Image image = pattern({3, 6, 9});
  EXPECT_EQ(resize(image, 6, 9).planes, image.planes);
}

// Stripes one pixel wide become grey when shrunk; plain bilinear sampling would keep black and white. The
// triangle over 13 of them leaves 1/49 of the contrast.
TEST(Resize, ShrinkingAveragesFineStructure) {
  Image stripes{{1, 1, 63}, {}};
  for (int i = 0; i < 63; ++i) stripes.planes.push_back(i % 2 == 0 ? 0 : 255);
  const Image small = resize(stripes, 1, 9);
  for (std::size_t i = 1; i < 8; ++i) EXPECT_NEAR(small.planes[i], 127.5, 127.5 / 49 + 0.5);
}

TEST(Resize, TheShorterSideGetsTheLength) {
  EXPECT_EQ(resize_shorter_side(pattern({3, 10, 15}), 20).shape, (ImageShape{3, 20, 30}));
  EXPECT_EQ(resize_shorter_side(pattern({1, 15, 10}), 4).shape, (ImageShape{1, 6, 4}));
  const Image prepared = centre_crop(resize_shorter_side(pattern({3, 30, 22}), 26), 20, 20);
  EXPECT_EQ(prepared.shape, (ImageShape{3, 20, 20}));
}

TEST(Resize, RefusesImpossibleSizes) {
  EXPECT_THROW(resize(pattern({1, 2, 2}), 0, 3), Error);
  EXPECT_THROW(resize(pattern({1, 2, 2}), 1 << 20, 1 << 20), Error);
  EXPECT_THROW(resize(std::vector<double>(5), {1, 2, 2}, 1, 1), Error);
}

TEST(Crop, TakesTheMiddle) {
  const Image image{{1, 3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}};
  EXPECT_THAT(centre_crop(image, 1, 2).planes, ElementsAre(5, 6));
  EXPECT_THAT(centre_crop(image, 2, 3).planes, ElementsAre(0, 1, 2, 4, 5, 6));
  EXPECT_EQ(centre_crop(image, 3, 4).planes, image.planes);
  EXPECT_THAT([&] { centre_crop(image, 4, 4); },
              ThrowsMessage<Error>(HasSubstr("cannot crop 4 x 4 pixels out of an image of 3 x 4")));
  EXPECT_THROW(centre_crop(image, 0, 1), Error);
}

TEST(Flip, SwapsLeftAndRightAndTwiceIsNothing) {
  const Image image{{2, 1, 3}, {1, 2, 3, 4, 5, 6}};
  EXPECT_THAT(flip_horizontally(image).planes, ElementsAre(3, 2, 1, 6, 5, 4));
  const Image large = pattern({3, 7, 8});
  EXPECT_EQ(flip_horizontally(flip_horizontally(large)).planes, large.planes);
}

TEST(Rotate, TurnsCounterClockwiseAndFourTimesIsNothing) {
  // 1 2 3      3 6
  // 4 5 6  to  2 5
  //            1 4
  const Image turned = rotate_quarter({{1, 2, 3}, {1, 2, 3, 4, 5, 6}});
  EXPECT_EQ(turned.shape, (ImageShape{1, 3, 2}));
  EXPECT_THAT(turned.planes, ElementsAre(3, 6, 2, 5, 1, 4));
  Image image = pattern({3, 5, 8});
  const Bytes before = image.planes;
  for (int i = 0; i < 4; ++i) image = rotate_quarter(image);
  EXPECT_EQ(image.planes, before);
}

}  // namespace
}  // namespace earshot
