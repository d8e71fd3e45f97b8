#include "earshot/data/formats/tar.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/data/formats/archive_paths.hpp"
#include "earshot/data/formats/plain_text.hpp"

namespace earshot {
namespace {

constexpr std::size_t kBlock = 512;
constexpr std::size_t kChecksumOffset = 148;
constexpr std::size_t kChecksumLength = 8;

using Block = std::span<const std::uint8_t>;

std::string_view as_text(Block bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool all_zero(Block bytes) {
  return std::ranges::all_of(bytes, [](std::uint8_t byte) { return byte == 0; });
}

/// A field up to its first zero byte.
std::string_view text_field(Block header, std::size_t offset, std::size_t length) {
  const std::string_view field = as_text(header.subspan(offset, length));
  return field.substr(0, field.find('\0'));
}

std::optional<std::uint64_t> parse_number(std::string_view digits, int base) {
  std::uint64_t value = 0;
  const char* const last = digits.data() + digits.size();
  const auto [end, code] = std::from_chars(digits.data(), last, value, base);
  if (code != std::errc() || end != last) return std::nullopt;
  return value;
}

/// Octal digits, padded by blanks in front and ended by a blank, a zero byte or the field's end.
std::uint64_t octal_field(Block header, std::size_t offset, std::size_t length, std::string_view what) {
  std::string_view field = as_text(header.subspan(offset, length));
  const std::size_t first = field.find_first_not_of(' ');
  field.remove_prefix(std::min(first, field.size()));
  field = field.substr(0, field.find_first_of(std::string_view(" \0", 2)));
  const std::optional<std::uint64_t> value = parse_number(field, 8);
  if (!value) fail(Fault::kData, fmt::format("tar header: the {} is no octal number", what));
  return *value;
}

void check_header(Block header) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kBlock; ++i) {
    const bool inside = i >= kChecksumOffset && i < kChecksumOffset + kChecksumLength;
    sum += inside ? ' ' : header[i];
  }
  const std::uint64_t stated = octal_field(header, kChecksumOffset, kChecksumLength, "checksum");
  if (sum != stated)
    fail(Fault::kData, fmt::format("tar header: checksum is {}, the header's bytes give {}", stated, sum));
}

bool is_posix(Block header) {
  return as_text(header.subspan(257, 8)) == std::string_view("ustar\00000", 8);
}

bool is_gnu(Block header) {
  return as_text(header.subspan(257, 8)) == std::string_view("ustar  \0", 8);
}

/// GNU tar keeps other things where POSIX has the path's front part.
std::string header_path(Block header) {
  const std::string_view name = text_field(header, 0, 100);
  const std::string_view prefix = is_posix(header) ? text_field(header, 345, 155) : std::string_view();
  return prefix.empty() ? std::string(name) : fmt::format("{}/{}", prefix, name);
}

/// What a pax header says about the member after it.
struct Extension {
  std::optional<std::string> path;
  std::optional<std::uint64_t> size;
};

void apply_record(std::string_view key, std::string_view value, Extension& extension) {
  if (key.starts_with("GNU.sparse")) fail(Fault::kData, "tar: sparse files are not supported");
  if (key == "path") extension.path = std::string(value);
  if (key == "size") {
    extension.size = parse_number(value, 10);
    if (!extension.size) fail(Fault::kData, "tar: the size in a pax header is no number");
  }
}

/// Records "LENGTH KEY=VALUE\n", LENGTH counting the whole record. Times, owners and comments are skipped.
Extension parse_pax(std::string_view text) {
  Extension extension;
  while (!text.empty()) {
    const std::size_t blank = text.find(' ');
    const std::optional<std::uint64_t> length = parse_number(text.substr(0, blank), 10);
    const bool fits = length && *length > blank + 1 && *length <= text.size() && text[*length - 1] == '\n';
    if (!fits) fail(Fault::kData, "tar: a record of a pax header has the wrong length");
    const std::string_view record = text.substr(blank + 1, *length - blank - 2);
    const std::size_t equals = record.find('=');
    if (equals == std::string_view::npos) fail(Fault::kData, "tar: a record of a pax header has no \"=\"");
    apply_record(record.substr(0, equals), record.substr(equals + 1), extension);
    text.remove_prefix(*length);
  }
  return extension;
}

class TarReader {
 public:
  explicit TarReader(Block bytes) : rest_(bytes) {
    if (bytes.size() % kBlock != 0)
      fail(Fault::kData,
           fmt::format("tar: {} bytes are no whole number of {}-byte blocks", bytes.size(), kBlock));
  }

  std::vector<TarFile> read() {
    for (Block header = take(kBlock); !all_zero(header); header = take(kBlock)) read_member(header);
    if (extension_) fail(Fault::kData, "tar: a long name belongs to no member");
    if (!all_zero(take(kBlock)) || !all_zero(rest_))
      fail(Fault::kData, "tar: something other than zeros follows the archive's end");
    return std::move(files_);
  }

 private:
  Block take(std::uint64_t count) {
    if (count > rest_.size()) {
      fail(Fault::kData, fmt::format("tar: the archive ends too early ({} more bytes expected, {} there)",
                                     count, rest_.size()));
    }
    const Block taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
  }

  Block take_content(std::uint64_t size) {
    const Block content = take(size);
    if (!all_zero(take((kBlock - size % kBlock) % kBlock)))
      fail(Fault::kData, "tar: a member's last block is not filled with zeros");
    return content;
  }

  void extend(Extension extension) {
    if (extension_) fail(Fault::kData, "tar: a member has two extended headers");
    extension_ = std::move(extension);
  }

  void read_global(std::string_view text) {
    const Extension everywhere = parse_pax(text);
    if (everywhere.path || everywhere.size)
      fail(Fault::kData, "tar: a global pax header sets a path or size for all members");
  }

  void read_member(Block header) {
    if (!is_posix(header) && !is_gnu(header)) fail(Fault::kData, "tar header: magic is not ustar");
    check_header(header);
    const std::uint64_t size = octal_field(header, 124, 12, "size");
    const char type = static_cast<char>(header[156]);
    if (type == 'x') return extend(parse_pax(as_text(take_content(size))));
    if (type == 'g') return read_global(as_text(take_content(size)));
    if (type == 'L') return extend({std::string(text_field(take_content(size), 0, size)), {}});
    const Extension extension = std::exchange(extension_, std::nullopt).value_or(Extension{});
    read_entry(type, extension.path.value_or(header_path(header)), extension.size.value_or(size));
  }

  void read_entry(char type, const std::string& path, std::uint64_t size) {
    if (type == '5') {
      if (size != 0) fail(Fault::kData, fmt::format("tar: directory {} has content", in_quotes(path)));
      return paths_.add_directory(path);
    }
    if (type != '0' && type != '\0') {
      fail(Fault::kData, fmt::format("tar: {} is of type {}, allowed: files and directories", in_quotes(path),
                                     in_quotes({&type, 1})));
    }
    files_.push_back({paths_.add_file(path), take_content(size)});
  }

  Block rest_;
  ArchivePaths paths_;
  std::optional<Extension> extension_;
  std::vector<TarFile> files_;
};

}  // namespace

std::vector<TarFile> parse_tar(std::span<const std::uint8_t> bytes) {
  return TarReader(bytes).read();
}

}  // namespace earshot
