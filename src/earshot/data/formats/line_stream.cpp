#include "earshot/data/formats/line_stream.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <zlib.h>

#include "earshot/core/error.hpp"
#include "earshot/core/files.hpp"

namespace earshot {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 17;
static_assert(kBuffer > LineStream::kLongestLine + 2);

using GzipFile = std::unique_ptr<gzFile_s, decltype(&gzclose)>;

GzipFile open(const std::filesystem::path& path) {
  std::error_code code;
  if (std::filesystem::is_directory(path, code))
    fail(Fault::kData, path.string() + ": is a directory, not a file");
  errno = 0;
  GzipFile file(gzopen(path.c_str(), "rb"), &gzclose);
  if (!file)
    fail(Fault::kData, fmt::format("{}: cannot be opened ({})", path.string(), std::strerror(errno)));
  gzbuffer(file.get(), 1U << 18);
  return file;
}

/// A file cut off in the middle of its gzip data reads like a shorter one until its end is looked at.
void check_whole(gzFile file, const std::string& origin) {
  int status = Z_OK;
  gzerror(file, &status);
  if (status == Z_OK) return;
  fail(
      status == Z_ERRNO ? Fault::kIo : Fault::kData,
      fmt::format("{}: {}", origin,
                  status == Z_BUF_ERROR ? "gzip data is truncated; get the file again"
                                        : "reading failed: gzip data is damaged or the disk did not answer"));
}

std::function<std::size_t(std::span<char>)> file_source(const std::filesystem::path& path) {
  const auto file = std::make_shared<GzipFile>(open(path));
  return [file, origin = path.string(), total = std::size_t{0}](std::span<char> out) mutable {
    const int count = gzread(file->get(), out.data(), static_cast<unsigned>(out.size()));
    if (count <= 0) check_whole(file->get(), origin);
    total += static_cast<std::size_t>(std::max(count, 0));
    if (total > kLargestInput)
      fail(Fault::kData, fmt::format("{}: more than {} bytes; cut the file", origin, kLargestInput));
    return static_cast<std::size_t>(std::max(count, 0));
  };
}

std::function<std::size_t(std::span<char>)> memory_source(std::string_view text) {
  return [text](std::span<char> out) mutable {
    const std::size_t count = text.copy(out.data(), out.size());
    text.remove_prefix(count);
    return count;
  };
}

}  // namespace

LineStream::LineStream(Source source, std::string origin)
    : source_(std::move(source)), origin_(std::move(origin)), buffer_(kBuffer) {
  refill();
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (std::string_view(buffer_.data(), end_).starts_with(kByteOrderMark)) begin_ = kByteOrderMark.size();
}

LineStream::LineStream(const std::filesystem::path& path) : LineStream(file_source(path), path.string()) {}

LineStream::LineStream(const TextFile& file) : LineStream(memory_source(file.text), file.origin) {}

void LineStream::refill() {
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
            buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
  end_ -= begin_;
  begin_ = 0;
  while (!exhausted_ && end_ < buffer_.size()) {
    const std::size_t count = source_(std::span(buffer_).subspan(end_));
    exhausted_ = count == 0;
    end_ += count;
  }
}

bool LineStream::next(std::string_view& line) {
  const auto rest = [&] { return std::string_view(buffer_.data() + begin_, end_ - begin_); };
  std::size_t length = rest().find('\n');
  if (length == std::string_view::npos && !exhausted_) {
    refill();
    length = rest().find('\n');
  }
  line = rest().substr(0, length);
  if (line.empty() && length == std::string_view::npos) return false;
  ++line_;
  begin_ += line.size() + (length == std::string_view::npos ? 0 : 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.size() > kLongestLine) refuse(fmt::format("the line is longer than {} bytes", kLongestLine));
  if (line.find('\0') != std::string_view::npos)
    refuse("holds a zero byte: not a text file (UTF-8 is expected)");
  return true;
}

void LineStream::refuse(const std::string& why) const {
  fail(Fault::kData, fmt::format("{}:{}: {}", origin_, line_, why));
}

}  // namespace earshot
