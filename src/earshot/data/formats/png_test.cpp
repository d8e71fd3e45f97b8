#include "earshot/data/formats/png.hpp"

#include <gmock/gmock.h>
#include <png.h>

#include "earshot/core/error.hpp"
#include "earshot/data/formats/corpus.hpp"
#include "source_dir.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

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

Bytes sample(const std::string& name) {
  return read_bytes(EARSHOT_SOURCE_DIR "/tests/corpus/png_in/" + name);
}

TEST(PngIn, UndoesEncoding) {
  for (const ImageShape& shape : {ImageShape{1, 28, 27}, ImageShape{3, 5, 9}, ImageShape{1, 1, 1}}) {
    const Bytes planes = pattern(shape.size());
    const Image image = decode_png(encode_png(shape, planes));
    EXPECT_EQ(image.shape, shape);
    EXPECT_EQ(image.planes, planes);
  }
}

// Samples written byte by byte from the PNG specification, not by libpng.
TEST(PngIn, ReadsEveryKindItAllows) {
  EXPECT_THAT(decode_png(sample("good-grey.png")).planes, ElementsAre(0, 127, 255, 1, 2, 3));
  EXPECT_THAT(decode_png(sample("good-colour.png")).planes, ElementsAre(1, 255, 2, 254, 3, 253));
  EXPECT_THAT(decode_png(sample("good-one-bit.png")).planes,
              ElementsAre(255, 0, 255, 0, 255, 0, 255, 0, 255));
  EXPECT_THAT(decode_png(sample("good-four-bit.png")).planes, ElementsAre(0, 255));
  EXPECT_THAT(decode_png(sample("good-palette.png")).planes, ElementsAre(40, 10, 50, 20, 60, 30));
  EXPECT_EQ(decode_png(sample("good-palette.png")).shape, (ImageShape{3, 1, 2}));
}

TEST(PngIn, AGammaChangesNothing) {
  EXPECT_EQ(decode_png(sample("good-gamma.png")).planes, decode_png(sample("good-grey.png")).planes);
}

TEST(PngIn, InterlacingIsUndone) {
  const Image image = decode_png(sample("good-interlaced.png"));
  ASSERT_EQ(image.shape, (ImageShape{3, 7, 9}));
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t i = 0; i < 63; ++i) EXPECT_EQ(image.planes[c * 63 + i], 3 * i + c);
  }
}

TEST(PngIn, SaysWhatIsWrong) {
  const auto refuse = [](const std::string& name, const std::string& part) {
    EXPECT_THAT([&] { decode_png(sample(name)); }, ThrowsMessage<Error>(HasSubstr(part))) << name;
  };
  refuse("bad-16-bit.png", "16-bit");
  refuse("bad-alpha.png", "transparency");
  refuse("bad-transparent-colour.png", "transparency");
  refuse("bad-truncated.png", "the file ends too early");
  refuse("bad-no-end.png", "the file ends too early");
  refuse("bad-huge.png", "image of 60000 x 60000 pixels");
  EXPECT_THAT([] { decode_png(sample("good-grey.png"), 5); },
              ThrowsMessage<Error>(HasSubstr("2 x 3 pixels")));
}

TEST(PngIn, EveryTruncationIsRefused) {
  const Bytes whole = encode_png({3, 4, 4}, pattern(48));
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_THROW(decode_png(std::span(whole).first(length)), Error) << length;
}

TEST(PngIn, CorpusIsAcceptedOrRefusedInOneLine) {
  testing::check_corpus("png_in", [](const Bytes& bytes) { decode_png(bytes); });
}

}  // namespace
}  // namespace earshot
