#include "earshot/data/formats/png.hpp"

#include <csetjmp>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>
#include <png.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

// Far above any dataset's images, far below libpng's own limits.
constexpr std::size_t kLargestSide = 1 << 15;

/// R, G and B of each pixel side by side, as PNG wants them.
Bytes interleave(const ImageShape& shape, std::span<const std::uint8_t> planes) {
  Bytes pixels(planes.size());
  for (std::size_t channel = 0; channel < shape.channels; ++channel) {
    for (std::size_t i = 0; i < shape.plane(); ++i)
      pixels[i * shape.channels + channel] = planes[channel * shape.plane() + i];
  }
  return pixels;
}

void check_shape(const ImageShape& shape, std::size_t values) {
  const bool sides =
      shape.height >= 1 && shape.width >= 1 && shape.height <= kLargestSide && shape.width <= kLargestSide;
  if (!sides || (shape.channels != 1 && shape.channels != 3) || values != shape.size()) {
    fail(Fault::kInternal,
         fmt::format("a PNG needs 1 or 3 channels and sides 1..{}, got {} values for {}x{}x{}", kLargestSide,
                     values, shape.channels, shape.height, shape.width));
  }
}

// No dataset's image needs a chunk of text or colour profile near this.
constexpr png_alloc_size_t kLargestChunk = 1 << 20;

/// libpng calls back and expects never to be returned to: the jump leads back into PngReader::guarded.
class PngReader {
 public:
  explicit PngReader(std::span<const std::uint8_t> bytes) : rest_(bytes) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_read_struct(&png_, &info_, nullptr);
      fail(Fault::kInternal, "libpng could not start");
    }
    png_set_read_fn(png_, this, on_read);
    png_set_crc_action(png_, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_set_chunk_malloc_max(png_, kLargestChunk);
  }
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  /// The shape the pixels will have.
  ImageShape read_header() {
    guarded([this] { png_read_info(png_, info_); });
    const png_byte type = png_get_color_type(png_, info_);
    if ((type & PNG_COLOR_MASK_ALPHA) != 0 || png_get_valid(png_, info_, PNG_INFO_tRNS) != 0)
      fail(Fault::kData, "PNG: images with transparency are not supported");
    if (png_get_bit_depth(png_, info_) > 8) fail(Fault::kData, "PNG: 16-bit images are not supported");
    return {(type & PNG_COLOR_MASK_COLOR) != 0 ? std::size_t{3} : 1, png_get_image_height(png_, info_),
            png_get_image_width(png_, info_)};
  }

  /// Pixels side by side, rows first.
  void read_pixels(const ImageShape& shape, Bytes& pixels) {
    pixels.resize(shape.size());
    const std::size_t row = shape.width * shape.channels;
    guarded([&] {
      png_set_expand(png_);
      const int passes = png_set_interlace_handling(png_);
      png_start_read_image(png_);
      for (int pass = 0; pass < passes; ++pass) {
        for (std::size_t y = 0; y < shape.height; ++y) png_read_row(png_, pixels.data() + y * row, nullptr);
      }
      png_read_end(png_, nullptr);
    });
  }

 private:
  /// `body` may own nothing: an error leaves it by a jump that runs no destructors.
  template <class Body>
  void guarded(Body body) {
    if (setjmp(jump_) != 0) fail(Fault::kData, fmt::format("PNG: {}", message_));
    body();
  }

  [[noreturn]] static void on_error(png_structp png, png_const_charp message) {
    auto& reader = *static_cast<PngReader*>(png_get_error_ptr(png));
    std::snprintf(reader.message_, sizeof(reader.message_), "%s", message);
    std::longjmp(reader.jump_, 1);
  }

  static void on_warning(png_structp, png_const_charp) {}

  static void on_read(png_structp png, png_bytep out, std::size_t count) {
    auto& reader = *static_cast<PngReader*>(png_get_io_ptr(png));
    if (count > reader.rest_.size()) png_error(png, "the file ends too early");
    std::memcpy(out, reader.rest_.data(), count);
    reader.rest_ = reader.rest_.subspan(count);
  }

  std::span<const std::uint8_t> rest_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::jmp_buf jump_;
  char message_[256] = "";
};

}  // namespace

Image decode_png(std::span<const std::uint8_t> bytes, std::size_t most_pixels) {
  PngReader reader(bytes);
  const ImageShape shape = reader.read_header();
  check_pixel_count(shape, most_pixels);
  Bytes pixels;
  reader.read_pixels(shape, pixels);
  return {shape, separate_planes(shape, pixels)};
}

Bytes encode_png(const ImageShape& shape, std::span<const std::uint8_t> planes) {
  check_shape(shape, planes.size());
  const Bytes pixels = interleave(shape, planes);
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(shape.width);
  image.height = static_cast<png_uint_32>(shape.height);
  image.format = shape.channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  Bytes encoded(size);
  if (png_image_write_to_memory(&image, encoded.data(), &size, 0, pixels.data(), 0, nullptr) == 0)
    fail(Fault::kInternal, fmt::format("libpng: {}", image.message));
  encoded.resize(size);
  return encoded;
}

}  // namespace earshot
