#include "earshot/data/formats/zip.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <zlib.h>

#include "earshot/core/error.hpp"
#include "earshot/data/formats/archive_paths.hpp"
#include "earshot/data/formats/little_endian.hpp"
#include "earshot/data/formats/plain_text.hpp"

namespace earshot {
namespace {

using Span = std::span<const std::uint8_t>;

constexpr std::uint32_t kEndSignature = 0x06054b50;
constexpr std::uint32_t kCentralSignature = 0x02014b50;
constexpr std::uint32_t kLocalSignature = 0x04034b50;
constexpr std::uint32_t kDescriptorSignature = 0x08074b50;
constexpr std::uint16_t kZip64Field = 1;
constexpr std::uint32_t kSeeZip64 = 0xffffffff;

constexpr std::uint16_t kDescriptorFlag = 1 << 3;
// Hints to the compressor, sizes after the content, UTF-8 names: everything else means encryption or patches.
constexpr std::uint16_t kKnownFlags = 1 << 1 | 1 << 2 | kDescriptorFlag | 1 << 11;
constexpr std::uint16_t kStored = 0;
constexpr std::uint16_t kDeflated = 8;
// A deflate code of two bits can stand for 258 bytes.
constexpr std::uint64_t kMostExpansion = 258 * 4;

constexpr std::uint8_t kUnix = 3;
constexpr std::uint32_t kTypeMask = 0170000;
constexpr std::uint32_t kRegular = 0100000;
constexpr std::uint32_t kDirectory = 0040000;

/// Reads a record field by field and refuses to run over its end.
class Cursor {
 public:
  Cursor(Span bytes, std::uint64_t offset) : bytes_(bytes), offset_(offset) {}

  template <class Unsigned>
  Unsigned number() {
    return little_endian<Unsigned>(take(sizeof(Unsigned)), 0);
  }
  std::uint16_t u16() { return number<std::uint16_t>(); }
  std::uint32_t u32() { return number<std::uint32_t>(); }

  Span take(std::uint64_t count) {
    if (offset_ > bytes_.size() || count > bytes_.size() - offset_)
      fail(Fault::kData, "zip: a record runs over the end of the file");
    const Span taken = bytes_.subspan(offset_, count);
    offset_ += count;
    return taken;
  }
  void skip(std::uint64_t count) { take(count); }
  std::uint64_t offset() const { return offset_; }

 private:
  Span bytes_;
  std::uint64_t offset_;
};

std::string as_text(Span bytes) {
  return {bytes.begin(), bytes.end()};
}

/// Where the record lies that ends the archive: its comment reaches exactly to the end of the file.
std::size_t find_end(Span bytes) {
  for (std::size_t comment = 0; comment <= UINT16_MAX && comment + kZipEndLength <= bytes.size(); ++comment) {
    const std::size_t offset = bytes.size() - kZipEndLength - comment;
    if (little_endian<std::uint32_t>(bytes, offset) == kEndSignature &&
        little_endian<std::uint16_t>(bytes, offset + 20) == comment)
      return offset;
  }
  fail(Fault::kData, "zip: no end of the central directory; the file is truncated or no zip archive");
}

ZipEnd find_directory(Span bytes) {
  const ZipEnd end = find_zip_end(bytes);
  if (std::uint64_t{end.offset} + end.size != end.position)
    fail(Fault::kData, "zip: the central directory does not reach to the archive's end");
  return end;
}

/// What the central directory says of a member; the local header must not contradict it.
struct Member {
  std::string path;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::uint32_t crc = 0;
  std::uint64_t compressed = 0;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
  std::uint32_t unix_type = 0;
};

[[noreturn]] void refuse(const Member& member, std::string_view why) {
  fail(Fault::kData, fmt::format("zip: {} {}", in_quotes(member.path), why));
}

void check_supported(const Member& member) {
  if ((member.flags & ~kKnownFlags) != 0) refuse(member, "is encrypted or uses an unknown feature");
  if (member.method != kStored && member.method != kDeflated) {
    refuse(member,
           fmt::format("is compressed by method {}, allowed: 0 (stored) and 8 (deflated)", member.method));
  }
  if (member.compressed == kSeeZip64 || member.size == kSeeZip64 || member.offset == kSeeZip64)
    refuse(member, "needs zip64, which is not supported");
  if (member.unix_type != 0 && member.unix_type != kRegular && member.unix_type != kDirectory)
    refuse(member, "is neither a file nor a directory");
}

void check_sizes(const Member& member) {
  const bool possible = member.method == kStored ? member.size == member.compressed
                                                 : member.size <= kMostExpansion * member.compressed;
  if (!possible) refuse(member, fmt::format("cannot hold {} bytes in {}", member.size, member.compressed));
}

Member read_central(Cursor& cursor) {
  Member member;
  if (cursor.u32() != kCentralSignature)
    fail(Fault::kData, "zip: a record of the central directory is damaged");
  cursor.skip(1);
  const bool made_by_unix = cursor.number<std::uint8_t>() == kUnix;
  cursor.skip(2);
  member.flags = cursor.u16();
  member.method = cursor.u16();
  cursor.skip(4);
  member.crc = cursor.u32();
  member.compressed = cursor.u32();
  member.size = cursor.u32();
  const std::uint16_t name_length = cursor.u16();
  const std::uint16_t extra_length = cursor.u16();
  const std::uint16_t comment_length = cursor.u16();
  const std::uint16_t disk = cursor.u16();
  cursor.skip(2);
  const std::uint32_t attributes = cursor.u32();
  if (made_by_unix) member.unix_type = attributes >> 16 & kTypeMask;
  member.offset = cursor.u32();
  member.path = as_text(cursor.take(name_length));
  cursor.skip(extra_length);
  cursor.skip(comment_length);
  if (disk != 0) refuse(member, "lies on another disk");
  check_supported(member);
  check_sizes(member);
  return member;
}

struct Sizes {
  std::uint64_t size = 0;
  std::uint64_t compressed = 0;
};

/// The sizes in a local header's zip64 field, which writers that did not know them beforehand leave there.
std::optional<Sizes> zip64_sizes(Span extra) {
  Cursor cursor(extra, 0);
  while (cursor.offset() < extra.size()) {
    const std::uint16_t id = cursor.u16();
    const std::uint16_t length = cursor.u16();
    const Span field = cursor.take(length);
    if (id != kZip64Field) continue;
    if (length != 16) fail(Fault::kData, "zip: a zip64 field has the wrong length");
    return Sizes{little_endian<std::uint64_t>(field, 0), little_endian<std::uint64_t>(field, 8)};
  }
  return std::nullopt;
}

/// After the content of a member whose local header came too early to know them: CRC-32 and sizes, which may
/// take four or eight bytes each; either way the compressed size starts with the same four.
void check_descriptor(const Member& member, Cursor& cursor) {
  std::uint32_t crc = cursor.u32();
  if (crc == kDescriptorSignature && crc != member.crc) crc = cursor.u32();
  if (crc != member.crc || cursor.u32() != member.compressed)
    refuse(member, "is followed by sizes that contradict the central directory");
}

struct LocalHeader {
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::uint32_t crc = 0;
  Sizes sizes;
  std::string path;
};

LocalHeader read_local(Cursor& cursor) {
  LocalHeader header;
  cursor.skip(2);
  header.flags = cursor.u16();
  header.method = cursor.u16();
  cursor.skip(4);
  header.crc = cursor.u32();
  header.sizes.compressed = cursor.u32();
  header.sizes.size = cursor.u32();
  const std::uint16_t name_length = cursor.u16();
  const std::uint16_t extra_length = cursor.u16();
  header.path = as_text(cursor.take(name_length));
  const std::optional<Sizes> wide = zip64_sizes(cursor.take(extra_length));
  if (wide && (header.sizes.compressed == kSeeZip64 || header.sizes.size == kSeeZip64)) header.sizes = *wide;
  return header;
}

bool agree(const LocalHeader& local, const Member& member) {
  const bool same = local.flags == member.flags && local.method == member.method && local.path == member.path;
  const bool later = (member.flags & kDescriptorFlag) != 0 && local.crc == 0;
  return same && (later || (local.crc == member.crc && local.sizes.compressed == member.compressed &&
                            local.sizes.size == member.size));
}

struct Located {
  Span content;
  std::uint64_t end = 0;
};

/// Checks the local header against the central directory and finds the content behind it.
Located locate_content(const Member& member, Span bytes) {
  Cursor cursor(bytes, member.offset);
  if (cursor.u32() != kLocalSignature) refuse(member, "has no local header where the directory says");
  if (!agree(read_local(cursor), member))
    refuse(member, "has a local header that contradicts the central directory");
  const Span content = cursor.take(member.compressed);
  if ((member.flags & kDescriptorFlag) != 0) check_descriptor(member, cursor);
  return {content, cursor.offset()};
}

Bytes inflate_raw(const Member& member, Span compressed) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) fail(Fault::kInternal, "zlib could not start");
  struct End {
    z_stream* stream;
    ~End() { inflateEnd(stream); }
  } end{&stream};
  // One byte more than announced shows content that is too long.
  Bytes out(member.size + 1);
  stream.next_in = const_cast<Bytef*>(compressed.data());
  stream.avail_in = static_cast<uInt>(compressed.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = inflate(&stream, Z_FINISH);
  if (status != Z_STREAM_END || stream.avail_in != 0 || stream.avail_out != 1)
    refuse(member, fmt::format("is damaged: it does not expand to its {} bytes", member.size));
  out.resize(member.size);
  return out;
}

Bytes expand(const Member& member, Span compressed) {
  Bytes content = member.method == kStored ? Bytes(compressed.begin(), compressed.end())
                                           : inflate_raw(member, compressed);
  if (crc32_z(0, content.data(), content.size()) != member.crc)
    refuse(member, "is damaged: its CRC-32 does not hold");
  return content;
}

std::vector<Member> read_directory(Span bytes, const ZipEnd& directory) {
  Cursor cursor(bytes.first(directory.position), directory.offset);
  std::vector<Member> members;
  for (std::size_t i = 0; i < directory.entries; ++i) members.push_back(read_central(cursor));
  if (cursor.offset() != directory.position)
    fail(Fault::kData, "zip: the central directory holds more than its members");
  return members;
}

/// Members that share bytes would let a small file expand to any size.
void check_overlaps(std::vector<std::pair<std::uint64_t, std::uint64_t>> extents) {
  std::ranges::sort(extents);
  for (std::size_t i = 1; i < extents.size(); ++i) {
    if (extents[i].first < extents[i - 1].second) fail(Fault::kData, "zip: two members share the same bytes");
  }
}

void check_total(const std::vector<Member>& members, std::size_t largest) {
  std::uint64_t total = 0;
  for (const Member& member : members) total += member.size;
  if (total > largest) {
    fail(Fault::kData,
         fmt::format("zip: the members hold {} bytes, more than the {} allowed", total, largest));
  }
}

/// The members' contents as they lie in the archive.
std::vector<Span> locate_contents(const std::vector<Member>& members, Span before_directory) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> extents;
  std::vector<Span> contents;
  for (const Member& member : members) {
    const Located located = locate_content(member, before_directory);
    extents.emplace_back(member.offset, located.end);
    contents.push_back(located.content);
  }
  check_overlaps(std::move(extents));
  return contents;
}

}  // namespace

ZipEnd find_zip_end(std::span<const std::uint8_t> bytes) {
  ZipEnd end{.position = find_end(bytes)};
  Cursor cursor(bytes, end.position + 4);
  const std::uint16_t disk = cursor.u16();
  const std::uint16_t first_disk = cursor.u16();
  const std::uint16_t entries_here = cursor.u16();
  end.entries = cursor.u16();
  end.size = cursor.u32();
  end.offset = cursor.u32();
  if (disk != 0 || first_disk != 0 || entries_here != end.entries)
    fail(Fault::kData, "zip: an archive in several parts is not supported");
  if (end.entries == UINT16_MAX || end.offset == kSeeZip64)
    fail(Fault::kData, "zip: zip64 archives are not supported");
  return end;
}

std::vector<ZipFile> parse_zip(std::span<const std::uint8_t> bytes, std::size_t largest) {
  const ZipEnd directory = find_directory(bytes);
  const std::vector<Member> members = read_directory(bytes, directory);
  check_total(members, largest);
  const std::vector<Span> contents = locate_contents(members, bytes.first(directory.offset));
  ArchivePaths paths;
  std::vector<ZipFile> files;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Member& member = members[i];
    if (member.path.ends_with('/')) {
      if (member.size != 0) refuse(member, "is a directory with content");
      paths.add_directory(member.path);
    } else {
      files.push_back({paths.add_file(member.path), expand(member, contents[i])});
    }
  }
  return files;
}

}  // namespace earshot
