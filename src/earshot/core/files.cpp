#include "earshot/core/files.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <unistd.h>
#include <zlib.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

Bytes read_raw(const std::filesystem::path& path, std::size_t largest) {
  std::error_code code;
  if (std::filesystem::is_directory(path, code))
    fail(Fault::kData, path.string() + ": is a directory, not a file");
  std::ifstream in(path, std::ios::binary);
  if (!in) fail(Fault::kData, fmt::format("{}: cannot be opened ({})", path.string(), std::strerror(errno)));
  const std::uintmax_t size = std::filesystem::file_size(path, code);
  if (!code && size > largest)
    fail(Fault::kData, fmt::format("{}: larger than {} bytes", path.string(), largest));
  Bytes bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (in.bad()) fail(Fault::kIo, path.string() + ": reading failed");
  return bytes;
}

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

void write_all(int fd, std::string_view content, const std::filesystem::path& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0)
      fail(Fault::kIo, fmt::format("{}: writing failed ({})", path.string(), std::strerror(errno)));
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fsync(fd) != 0) fail(Fault::kIo, path.string() + ": flushing to disk failed");
}

}  // namespace

bool looks_gzipped(std::span<const std::uint8_t> bytes) {
  return bytes.size() >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

Bytes gunzip(std::span<const std::uint8_t> compressed, std::size_t largest) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) fail(Fault::kInternal, "zlib could not start");
  struct End {
    z_stream* stream;
    ~End() { inflateEnd(stream); }
  } end{&stream};
  Bytes out;
  std::array<std::uint8_t, 1 << 16> chunk;
  stream.next_in = const_cast<Bytef*>(compressed.data());
  stream.avail_in = static_cast<uInt>(compressed.size());
  if (compressed.size() > UINT32_MAX) fail(Fault::kData, "gzip input over 4 GiB");
  for (;;) {
    stream.next_out = chunk.data();
    stream.avail_out = chunk.size();
    const int status = inflate(&stream, Z_NO_FLUSH);
    const std::size_t produced = chunk.size() - stream.avail_out;
    if (out.size() + produced > largest)
      fail(Fault::kData, fmt::format("gzip data expands beyond {} bytes", largest));
    out.insert(out.end(), chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(produced));
    if (status == Z_STREAM_END) {
      if (stream.avail_in == 0) return out;
      if (inflateReset(&stream) != Z_OK) fail(Fault::kInternal, "zlib could not restart");
      continue;
    }
    if (status == Z_BUF_ERROR || (status == Z_OK && stream.avail_in == 0 && produced == 0)) {
      fail(Fault::kData, "gzip data is truncated");
    }
    if (status != Z_OK) fail(Fault::kData, "gzip data is damaged");
  }
}

Bytes read_bytes(const std::filesystem::path& path, std::size_t largest) {
  Bytes bytes = read_raw(path, largest);
  if (!looks_gzipped(bytes)) return bytes;
  return with_context(path.string(), [&] { return gunzip(bytes, largest); });
}

std::string read_text(const std::filesystem::path& path, std::size_t largest) {
  const Bytes bytes = read_bytes(path, largest);
  return {bytes.begin(), bytes.end()};
}

void write_atomically(const std::filesystem::path& path, std::string_view content) {
  const std::filesystem::path temporary = fmt::format("{}.{}.tmp", path.string(), ::getpid());
  {
    const FileDescriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (file.get() < 0) {
      fail(Fault::kIo, fmt::format("{}: cannot be written ({})", path.string(), std::strerror(errno)));
    }
    write_all(file.get(), content, path);
  }
  std::error_code code;
  std::filesystem::rename(temporary, path, code);
  if (code) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    fail(Fault::kIo, fmt::format("{}: cannot be replaced ({})", path.string(), code.message()));
  }
}

std::string sha256(std::span<const std::uint8_t> bytes) {
  std::array<std::uint8_t, EVP_MAX_MD_SIZE> digest;
  unsigned length = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1) {
    fail(Fault::kInternal, "SHA-256 is unavailable");
  }
  std::string hex;
  for (unsigned i = 0; i < length; ++i) hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

std::string base64(std::span<const std::uint8_t> bytes) {
  std::string out(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()), bytes.data(),
                                     static_cast<int>(bytes.size()));
  out.resize(static_cast<std::size_t>(length));
  return out;
}

Bytes unbase64(std::string_view text) {
  Bytes bytes(text.size() / 4 * 3);
  const int length = EVP_DecodeBlock(bytes.data(), reinterpret_cast<const unsigned char*>(text.data()),
                                     static_cast<int>(text.size()));
  if (length < 0 || text.size() % 4 != 0) fail(Fault::kData, "not base64");
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  bytes.resize(static_cast<std::size_t>(length) - padding);
  return bytes;
}

}  // namespace earshot
