#include "earshot/data/formats/zip.hpp"

#include <gmock/gmock.h>
#include <zlib.h>

#include "earshot/core/error.hpp"
#include "earshot/data/formats/corpus.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

void put(Bytes& bytes, std::uint64_t value, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) bytes.push_back(static_cast<std::uint8_t>(value >> 8 * i));
}

void put(Bytes& bytes, std::string_view text) {
  bytes.insert(bytes.end(), text.begin(), text.end());
}

std::string deflated(std::string_view content) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::uint32_t crc_of(std::string_view text) {
  return static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size())));
}

/// One member as the directory and the local header describe it; tests change a field to make it wrong.
struct Item {
  std::string path;
  std::string content;  // as stored
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::uint32_t crc = 0;
  std::uint64_t size = 0;
  std::uint32_t attributes = 0;
  std::string local_path{};   // if it differs
  std::string local_extra{};  // bytes of the extra field
  bool local_sizes = true;    // false: zeros
  bool local_wide = false;    // 0xffffffff instead of the sizes
  std::string descriptor{};   // bytes after the content
};

Item stored(const std::string& path, const std::string& text) {
  return {.path = path, .content = text, .crc = crc_of(text), .size = text.size()};
}

Item packed(const std::string& path, const std::string& text) {
  return {.path = path, .content = deflated(text), .method = 8, .crc = crc_of(text), .size = text.size()};
}

void put_sizes(Bytes& bytes, const Item& item) {
  put(bytes, item.local_sizes ? item.crc : 0, 4);
  put(bytes, item.local_wide ? 0xffffffff : item.local_sizes ? item.content.size() : 0, 4);
  put(bytes, item.local_wide ? 0xffffffff : item.local_sizes ? item.size : 0, 4);
}

void put_local(Bytes& bytes, const Item& item) {
  const std::string& path = item.local_path.empty() ? item.path : item.local_path;
  put(bytes, 0x04034b50, 4);
  put(bytes, 20, 2);
  put(bytes, item.flags, 2);
  put(bytes, item.method, 2);
  put(bytes, 0, 4);
  put_sizes(bytes, item);
  put(bytes, path.size(), 2);
  put(bytes, item.local_extra.size(), 2);
  put(bytes, path + item.local_extra + item.content + item.descriptor);
}

void put_central(Bytes& bytes, const Item& item, std::size_t offset) {
  put(bytes, 0x02014b50, 4);
  put(bytes, 0x0314, 2);
  put(bytes, 20, 2);
  put(bytes, item.flags, 2);
  put(bytes, item.method, 2);
  put(bytes, 0, 4);
  put(bytes, item.crc, 4);
  put(bytes, item.content.size(), 4);
  put(bytes, item.size, 4);
  put(bytes, item.path.size(), 2);
  put(bytes, 0, 8);
  put(bytes, item.attributes, 4);
  put(bytes, offset, 4);
  put(bytes, item.path);
}

Bytes archive(const std::vector<Item>& items, const std::string& comment = "") {
  Bytes bytes;
  std::vector<std::size_t> offsets;
  for (const Item& item : items) {
    offsets.push_back(bytes.size());
    put_local(bytes, item);
  }
  const std::size_t start = bytes.size();
  for (std::size_t i = 0; i < items.size(); ++i) put_central(bytes, items[i], offsets[i]);
  const std::size_t length = bytes.size() - start;
  put(bytes, 0x06054b50, 4);
  put(bytes, 0, 4);
  put(bytes, items.size(), 2);
  put(bytes, items.size(), 2);
  put(bytes, length, 4);
  put(bytes, start, 4);
  put(bytes, comment.size(), 2);
  put(bytes, comment);
  return bytes;
}

std::vector<std::string> listing(const Bytes& bytes, std::size_t largest = kLargestInput) {
  std::vector<std::string> lines;
  for (const ZipFile& file : parse_zip(bytes, largest))
    lines.push_back(file.path + "=" + std::string(file.content.begin(), file.content.end()));
  return lines;
}

void expect_refusal(const Bytes& bytes, const std::string& part) {
  EXPECT_THAT([&] { parse_zip(bytes); }, ThrowsMessage<Error>(HasSubstr(part)));
}

std::string wide_sizes(std::uint64_t size, std::uint64_t compressed) {
  Bytes bytes;
  put(bytes, 1, 2);
  put(bytes, 16, 2);
  put(bytes, size, 8);
  put(bytes, compressed, 8);
  return {bytes.begin(), bytes.end()};
}

std::string descriptor(const Item& item, bool signature, std::size_t width) {
  Bytes bytes;
  if (signature) put(bytes, 0x08074b50, 4);
  put(bytes, item.crc, 4);
  put(bytes, item.content.size(), width);
  put(bytes, item.size, width);
  return {bytes.begin(), bytes.end()};
}

TEST(Zip, ReadsStoredAndDeflatedMembers) {
  const std::string lines(5000, 'l');
  EXPECT_THAT(listing(archive({stored("a", "one"), stored("d/", ""), packed("d/b", lines), packed("c", "")},
                              "a comment")),
              ElementsAre("a=one", "d/b=" + lines, "c="));
  EXPECT_THAT(listing(archive({})), ElementsAre());
}

TEST(Zip, LocalSizesMayStandInAZip64Field) {
  Item item = packed("a.npy", "array");
  item.local_wide = true;
  item.local_extra = wide_sizes(item.size, item.content.size());
  EXPECT_THAT(listing(archive({item})), ElementsAre("a.npy=array"));
  item.local_extra = wide_sizes(item.size + 1, item.content.size());
  expect_refusal(archive({item}), "contradicts the central directory");
  item.local_extra.clear();
  expect_refusal(archive({item}), "contradicts the central directory");
}

TEST(Zip, SizesMayFollowTheContent) {
  for (const bool signature : {false, true}) {
    for (const std::size_t width : {4, 8}) {
      Item item = packed("a", "streamed");
      item.flags = 8;
      item.local_sizes = false;
      item.descriptor = descriptor(item, signature, width);
      EXPECT_THAT(listing(archive({item, stored("b", "")})), ElementsAre("a=streamed", "b="));
      item.descriptor[5] = static_cast<char>(item.descriptor[5] + 1);
      expect_refusal(archive({item}), "sizes that contradict");
    }
  }
}

template <class Change>
Bytes changed(Item item, Change change) {
  change(item);
  return archive({item});
}

TEST(Zip, SaysWhatIsWrongWithAMember) {
  const Item item = packed("a", "some content, some content");
  const auto refuse = [&](auto change, const std::string& part) {
    expect_refusal(changed(item, change), part);
  };
  refuse([](Item& i) { i.crc ^= 1; }, "\"a\" is damaged: its CRC-32 does not hold");
  refuse([](Item& i) { --i.size; }, "does not expand to its 25 bytes");
  refuse([](Item& i) { ++i.size; }, "does not expand to its 27 bytes");
  refuse([](Item& i) { i.content += "x"; }, "does not expand");
  refuse([](Item& i) { i.content.pop_back(); }, "does not expand");
  refuse([](Item& i) { i.size = 1 << 30; }, "cannot hold 1073741824 bytes");
  refuse([](Item& i) { i.method = 12; }, "compressed by method 12");
  refuse([](Item& i) { i.method = 0; }, "cannot hold 26 bytes");
  refuse([](Item& i) { i.flags = 1; }, "is encrypted");
  refuse([](Item& i) { i.size = 0xffffffff; }, "needs zip64");
  refuse([](Item& i) { i.attributes = 0120777u << 16; }, "neither a file nor a directory");
  refuse([](Item& i) { i.local_path = "b"; }, "contradicts the central directory");
  refuse([](Item& i) { i.local_sizes = false; }, "contradicts the central directory");
  refuse([](Item& i) { i.local_extra = "abc"; }, "runs over the end");
  refuse([](Item& i) { i.path = "../a"; }, "\"..\"");
  refuse([](Item& i) { i.path = "a/"; }, "directory with content");
  expect_refusal(archive({stored("a", ""), stored("a", "")}), "comes twice");
}

TEST(Zip, SaysWhatIsWrongWithTheDirectory) {
  const Bytes whole = archive({stored("a", "one")});
  const std::size_t end = whole.size() - 22;
  const auto refuse = [&](std::size_t offset, std::uint8_t value, const std::string& part) {
    Bytes bytes = whole;
    bytes[offset] = value;
    expect_refusal(bytes, part);
  };
  refuse(end, 0, "truncated or no zip archive");
  refuse(end + 4, 1, "several parts");
  refuse(end + 6, 1, "several parts");
  refuse(end + 8, 2, "several parts");
  refuse(end + 12, 0, "does not reach to the archive's end");
  refuse(end + 16, 0, "does not reach to the archive's end");
  refuse(end + 20, 1, "truncated or no zip archive");
  refuse(0, 0, "no local header where the directory says");
  refuse(34, 0, "a record of the central directory is damaged");
  Bytes fewer = whole;
  fewer[end + 8] = fewer[end + 10] = 0;
  expect_refusal(fewer, "more than its members");
  Bytes more = whole;
  more[end + 8] = more[end + 10] = 2;
  expect_refusal(more, "runs over the end");
  // What zip64 writes where a number does not fit.
  Bytes uncounted = whole;
  for (std::size_t i = 8; i < 12; ++i) uncounted[end + i] = 0xff;
  expect_refusal(uncounted, "zip64 archives are not supported");
  Bytes far = whole;
  for (std::size_t i = 16; i < 20; ++i) far[end + i] = 0xff;
  expect_refusal(far, "zip64 archives are not supported");
}

TEST(Zip, TheEndSaysWhereTheDirectoryLies) {
  Bytes bytes = archive({stored("a", "one"), stored("b", "two")});
  const std::size_t position = bytes.size() - kZipEndLength;
  bytes[position + 20] = 2;
  bytes.insert(bytes.end(), {'h', 'i'});  // a comment
  const ZipEnd end = find_zip_end(bytes);
  EXPECT_EQ(end.position, position);
  EXPECT_EQ(end.entries, 2u);
  EXPECT_EQ(end.offset, 2 * (30u + 1 + 3));
  EXPECT_EQ(end.size, 2 * (46u + 1));
}

TEST(Zip, MembersMayNotShareBytes) {
  Bytes bytes = archive({stored("a", "one"), stored("a", "one")});
  // The second record of the directory points to the first local header.
  const std::size_t second = 2 * (30 + 1 + 3) + 47;
  bytes[second + 42] = 0;
  expect_refusal(bytes, "two members share the same bytes");
}

TEST(Zip, ExpandsNoFurtherThanAllowed) {
  const Bytes bytes = archive({packed("a", std::string(60, 'a')), packed("b", std::string(41, 'b'))});
  EXPECT_EQ(listing(bytes, 101).size(), 2u);
  EXPECT_THAT([&] { parse_zip(bytes, 100); },
              ThrowsMessage<Error>(HasSubstr("hold 101 bytes, more than the 100")));
}

TEST(Zip, EveryTruncationIsRefused) {
  const Bytes whole = archive({stored("a", "one"), packed("b", "two")});
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_THROW(parse_zip(std::span(whole).first(length)), Error) << length;
}

// A changed byte is noticed, or it stood where nothing depends on it: times, versions, attributes.
TEST(Zip, AChangedByteNeverChangesAContent) {
  const Bytes whole = archive({packed("a", "first content"), stored("b", "second")});
  const std::vector<std::string> expected = listing(whole);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    Bytes bytes = whole;
    bytes[i] ^= 0x10;
    try {
      EXPECT_EQ(listing(bytes), expected) << i;
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::kData) << i;
    }
  }
}

// Made by Python's zipfile, numpy-like forced zip64 sizes and streams included.
TEST(Zip, CorpusIsAcceptedOrRefusedInOneLine) {
  testing::check_corpus("zip", [](const Bytes& bytes) { parse_zip(bytes); });
}

}  // namespace
}  // namespace earshot
