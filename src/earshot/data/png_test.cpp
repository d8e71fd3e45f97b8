#include "earshot/data/png.hpp"

#include <gmock/gmock.h>
#include <png.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

/// Interleaved pixels of an encoded image, in the format it was stored in.
Bytes decode(const Bytes& encoded, ImageShape& shape) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_memory(&image, encoded.data(), encoded.size()), 0) << image.message;
  shape = {PNG_IMAGE_PIXEL_CHANNELS(image.format), image.height, image.width};
  Bytes pixels(PNG_IMAGE_SIZE(image));
  EXPECT_NE(png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr), 0) << image.message;
  return pixels;
}

Bytes pattern(std::size_t size) {
  Bytes planes(size);
  for (std::size_t i = 0; i < size; ++i) planes[i] = static_cast<std::uint8_t>((i * i + 7 * i) % 256);
  return planes;
}

TEST(Png, GreyRoundTrip) {
  const ImageShape shape{1, 28, 27};
  const Bytes planes = pattern(shape.size());
  ImageShape decoded_shape;
  EXPECT_EQ(decode(encode_png(shape, planes), decoded_shape), planes);
  EXPECT_EQ(decoded_shape, shape);
}

TEST(Png, ColourRoundTripTurnsPlanesIntoPixels) {
  const ImageShape shape{3, 5, 9};
  const Bytes planes = pattern(shape.size());
  ImageShape decoded_shape;
  const Bytes pixels = decode(encode_png(shape, planes), decoded_shape);
  EXPECT_EQ(decoded_shape, shape);
  ASSERT_EQ(pixels.size(), planes.size());
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t i = 0; i < shape.plane(); ++i)
      EXPECT_EQ(pixels[3 * i + c], planes[c * shape.plane() + i]);
  }
}

TEST(Png, TheSamePixelsGiveTheSameBytes) {
  const ImageShape shape{3, 8, 8};
  EXPECT_EQ(encode_png(shape, pattern(shape.size())), encode_png(shape, pattern(shape.size())));
}

TEST(Png, RefusesShapesThatAreNoImage) {
  const Bytes planes(8);
  EXPECT_THROW(encode_png({2, 2, 2}, planes), Error);
  EXPECT_THROW(encode_png({1, 2, 2}, planes), Error);
  EXPECT_THROW(encode_png({1, 0, 8}, Bytes{}), Error);
}

}  // namespace
}  // namespace earshot
