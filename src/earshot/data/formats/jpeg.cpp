#include "earshot/data/formats/jpeg.hpp"

#include <csetjmp>
#include <cstdio>

#include <fmt/format.h>
// jpeglib.h uses FILE and size_t without declaring them.
#include <jpeglib.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

// A progressive image is decoded whole for every scan; real ones have about ten.
constexpr int kMostScans = 64;

/// libjpeg calls back and expects never to be returned to: the jump leads back into JpegReader::guarded.
struct ErrorManager {
  jpeg_error_mgr base;
  std::jmp_buf jump;
  char message[JMSG_LENGTH_MAX];
};

ErrorManager& manager_of(j_common_ptr info) {
  return *reinterpret_cast<ErrorManager*>(info->err);
}

[[noreturn]] void on_error(j_common_ptr info) {
  ErrorManager& manager = manager_of(info);
  manager.base.format_message(info, manager.message);
  std::longjmp(manager.jump, 1);
}

void on_message(j_common_ptr info, int level) {
  if (level < 0) on_error(info);
}

void on_output(j_common_ptr) {}

void on_progress(j_common_ptr info) {
  if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number <= kMostScans) return;
  ErrorManager& manager = manager_of(info);
  std::snprintf(manager.message, sizeof(manager.message), "more than %d scans", kMostScans);
  std::longjmp(manager.jump, 1);
}

class JpegReader {
 public:
  JpegReader() {
    info_.err = jpeg_std_error(&errors_.base);
    errors_.base.error_exit = on_error;
    errors_.base.emit_message = on_message;
    errors_.base.output_message = on_output;
    progress_.progress_monitor = on_progress;
    guarded([this] { jpeg_create_decompress(&info_); });
    info_.progress = &progress_;
  }
  ~JpegReader() { jpeg_destroy_decompress(&info_); }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  ImageShape read_header(std::span<const std::uint8_t> bytes) {
    guarded([&] {
      jpeg_mem_src(&info_, bytes.data(), bytes.size());
      jpeg_read_header(&info_, TRUE);
    });
    return {channels(), info_.image_height, info_.image_width};
  }

  /// Pixels side by side, rows first.
  void read_pixels(const ImageShape& shape, Bytes& pixels) {
    pixels.resize(shape.size());
    const std::size_t row = shape.width * shape.channels;
    guarded([&] {
      jpeg_start_decompress(&info_);
      while (info_.output_scanline < info_.output_height) {
        JSAMPROW start = pixels.data() + info_.output_scanline * row;
        jpeg_read_scanlines(&info_, &start, 1);
      }
      jpeg_finish_decompress(&info_);
    });
  }

 private:
  /// `body` may own nothing: an error leaves it by a jump that runs no destructors.
  template <class Body>
  void guarded(Body body) {
    if (setjmp(errors_.jump) != 0) fail(Fault::kData, fmt::format("JPEG: {}", errors_.message));
    body();
  }

  std::size_t channels() {
    switch (info_.jpeg_color_space) {
      case JCS_GRAYSCALE:
        info_.out_color_space = JCS_GRAYSCALE;
        return 1;
      case JCS_YCbCr:
      case JCS_RGB:
        info_.out_color_space = JCS_RGB;
        return 3;
      default:
        fail(Fault::kData, "JPEG: neither grey nor RGB");
    }
  }

  ErrorManager errors_{};
  jpeg_progress_mgr progress_{};
  jpeg_decompress_struct info_{};
};

}  // namespace

Image decode_jpeg(std::span<const std::uint8_t> bytes, std::size_t most_pixels) {
  if (bytes.empty()) fail(Fault::kData, "JPEG: the file is empty");
  JpegReader reader;
  const ImageShape shape = reader.read_header(bytes);
  check_pixel_count(shape, most_pixels);
  Bytes pixels;
  reader.read_pixels(shape, pixels);
  return {shape, separate_planes(shape, pixels)};
}

}  // namespace earshot
