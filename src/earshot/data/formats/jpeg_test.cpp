#include "earshot/data/formats/jpeg.hpp"

#include <cstdio>
#include <cstdlib>

#include <gmock/gmock.h>
#include <jpeglib.h>

#include "earshot/core/error.hpp"
#include "earshot/data/formats/corpus.hpp"

namespace earshot {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// Encodes pixels side by side at the best quality, without subsampling of colours.
Bytes encoded(const ImageShape& shape, const Bytes& pixels) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &memory, &size);
  info.image_width = static_cast<JDIMENSION>(shape.width);
  info.image_height = static_cast<JDIMENSION>(shape.height);
  info.input_components = static_cast<int>(shape.channels);
  info.in_color_space = shape.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 100, TRUE);
  info.comp_info[0].h_samp_factor = info.comp_info[0].v_samp_factor = 1;
  jpeg_start_compress(&info, TRUE);
  for (std::size_t y = 0; y < shape.height; ++y) {
    auto* row = const_cast<JSAMPROW>(pixels.data() + y * shape.width * shape.channels);
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  const Bytes bytes(memory, memory + size);
  std::free(memory);
  return bytes;
}

// A flat block has one coefficient, eight times the value's distance from 128; at quality 100 it is stored as
// it is.
TEST(Jpeg, FlatGreyImagesAreExact) {
  for (const std::uint8_t value : {0, 1, 77, 128, 254, 255}) {
    const Image image = decode_jpeg(encoded({1, 9, 11}, Bytes(99, value)));
    EXPECT_EQ(image.shape, (ImageShape{1, 9, 11}));
    EXPECT_THAT(image.planes, Each(value));
  }
}

TEST(Jpeg, ColoursComeAsPlanesInTheOrderRedGreenBlue) {
  const ImageShape shape{3, 8, 16};
  Bytes pixels;
  for (std::size_t i = 0; i < shape.plane(); ++i) {
    const bool left = i % 16 < 8;
    for (const int value : {left ? 200 : 30, 100, left ? 20 : 240})
      pixels.push_back(static_cast<std::uint8_t>(value));
  }
  const Image image = decode_jpeg(encoded(shape, pixels));
  ASSERT_EQ(image.shape, shape);
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t i = 0; i < shape.plane(); ++i)
      EXPECT_NEAR(image.planes[c * shape.plane() + i], pixels[3 * i + c], 2);
  }
}

TEST(Jpeg, RefusesMorePixelsThanAllowed) {
  const Bytes bytes = encoded({1, 8, 8}, Bytes(64, 9));
  EXPECT_NO_THROW(decode_jpeg(bytes, 64));
  EXPECT_THAT([&] { decode_jpeg(bytes, 63); }, ThrowsMessage<Error>(HasSubstr("image of 8 x 8 pixels")));
}

TEST(Jpeg, EveryTruncationIsRefused) {
  Bytes pixels;
  for (int i = 0; i < 16 * 16; ++i) pixels.push_back(static_cast<std::uint8_t>(i * i));
  const Bytes whole = encoded({1, 16, 16}, pixels);
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_THROW(decode_jpeg(std::span(whole).first(length)), Error) << length;
}

TEST(Jpeg, CorpusIsAcceptedOrRefusedInOneLine) {
  testing::check_corpus("jpeg", [](const Bytes& bytes) { decode_jpeg(bytes); });
}

}  // namespace
}  // namespace earshot
