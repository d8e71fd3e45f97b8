#include "earshot/data/formats/tar.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "earshot/core/error.hpp"
#include "earshot/data/formats/corpus.hpp"
#include "earshot/data/formats/tar_sample.hpp"

namespace earshot {
namespace {

using tar_sample::archive;
using tar_sample::member;
using tar_sample::put;
using tar_sample::sign;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::string text_of(const TarFile& file) {
  return {file.content.begin(), file.content.end()};
}

std::vector<std::string> listing(const Bytes& bytes) {
  std::vector<std::string> lines;
  for (const TarFile& file : parse_tar(bytes)) lines.push_back(file.path + "=" + text_of(file));
  return lines;
}

void expect_refusal(const Bytes& bytes, const std::string& part) {
  EXPECT_THAT([&] { parse_tar(bytes); }, ThrowsMessage<Error>(HasSubstr(part)));
}

TEST(Tar, ReadsFilesInOrderAndLeavesDirectoriesOut) {
  const std::string block(512, 'x');
  EXPECT_THAT(listing(archive({member("d/", "", '5'), member("d/b", "two"), member("a", ""),
                               member("d/c", block), member("end", "z", '\0')})),
              ElementsAre("d/b=two", "a=", "d/c=" + block, "end=z"));
  EXPECT_THAT(listing(archive({})), ElementsAre());
}

TEST(Tar, LongNamesComeFromPrefixGnuOrPax) {
  EXPECT_THAT(listing(archive({member("b", "1", '0', "some/where")})), ElementsAre("some/where/b=1"));
  EXPECT_THAT(listing(archive({member("././@LongLink", std::string("long/name\0", 10), 'L'),
                               member("long/na", "1"), member("c", "2")})),
              ElementsAre("long/name=1", "c=2"));
  EXPECT_THAT(listing(archive({member("pax", "18 path=other/nam\n20 mtime=1350505.25\n", 'x'),
                               member("other", "1"), member("c", "2")})),
              ElementsAre("other/nam=1", "c=2"));
  EXPECT_THAT(listing(archive({member("pax_global", "15 comment=abc\n", 'g'), member("c", "2")})),
              ElementsAre("c=2"));
}

TEST(Tar, ASizeInPaxReplacesTheHeaders) {
  EXPECT_THAT(listing(archive({member("pax", "10 size=3\n", 'x'), member("a", std::string("123\0\0", 5))})),
              ElementsAre("a=123"));
}

TEST(Tar, ContentIsAViewOfTheArchive) {
  const Bytes bytes = archive({member("a", "content")});
  EXPECT_EQ(parse_tar(bytes)[0].content.data(), bytes.data() + 512);
}

TEST(Tar, SaysWhatIsWrong) {
  expect_refusal({}, "ends too early (512 more bytes expected, 0 there)");
  expect_refusal(Bytes(511), "no whole number of 512-byte blocks");
  expect_refusal(archive({member("a", "")}, 0), "ends too early");
  expect_refusal(archive({member("a", "")}, 1), "ends too early");
  expect_refusal(archive({archive({member("a", "")}, 1), member("b", "")}), "follows the archive's end");
  expect_refusal(archive({archive({member("a", "")}), member("b", "")}), "follows the archive's end");
  for (const char type : {'1', '2', '3', '4', '6', '7', 'K', 'S'})
    expect_refusal(archive({member("a", "", type)}), fmt::format("is of type \"{}\"", type));
  expect_refusal(archive({member("d", "x", '5')}), "directory \"d\" has content");
  expect_refusal(archive({member("a", ""), member("a", "")}), "\"a\" comes twice");
  expect_refusal(archive({member("../a", "")}), "\"..\"");
  expect_refusal(archive({member("a", "", '0', "/root")}), "absolute");
}

TEST(Tar, DamagedHeadersAreRefused) {
  Bytes bytes = archive({member("a", "")});
  bytes[0] = 'b';
  expect_refusal(bytes, "checksum is");
  bytes = archive({member("a", "")});
  bytes[257] = 'U';
  expect_refusal(bytes, "magic is not ustar");
  const std::string too_large = "77777777777";
  for (const std::string& size :
       {std::string("abc"), std::string(12, ' '), std::string("\x80", 1), too_large}) {
    Bytes header = member("a", "");
    put(header, 124, size);
    sign(header);
    expect_refusal(archive({header}), size == too_large ? "ends too early" : "the size is no octal number");
  }
  bytes = archive({member("a", "x")});
  bytes[512 + 100] = 1;
  expect_refusal(bytes, "not filled with zeros");
}

TEST(Tar, DamagedExtensionsAreRefused) {
  for (const std::string text :
       {"x path=a\n", "5 a=b", "99 path=a\n", "8 path=a\n", "0 a=b\n", "2 ", "18446744073709551616 a=b\n"})
    expect_refusal(archive({member("pax", text, 'x'), member("a", "")}), "has the wrong length");
  expect_refusal(archive({member("pax", "7 abcd\n", 'x'), member("a", "")}), "no \"=\"");
  expect_refusal(archive({member("pax", "11 size=-1\n", 'x'), member("a", "")}), "size in a pax header");
  expect_refusal(archive({member("pax", "22 GNU.sparse.major=1\n", 'x'), member("a", "")}), "sparse");
  expect_refusal(archive({member("pax", "10 path=b\n", 'g'), member("a", "")}), "global pax header");
  expect_refusal(archive({member("L", "b", 'L')}), "belongs to no member");
  expect_refusal(archive({member("L", "b", 'L'), member("L", "c", 'L'), member("a", "")}),
                 "two extended headers");
}

TEST(Tar, EveryTruncationIsRefused) {
  const Bytes whole = archive({member("a", "one"), member("b", "two")});
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_THROW(parse_tar(std::span(whole).first(length)), Error) << length;
}

// Made by GNU tar (formats ustar, gnu, pax) and Python's tarfile.
TEST(Tar, CorpusIsAcceptedOrRefusedInOneLine) {
  testing::check_corpus("tar", [](const Bytes& bytes) { parse_tar(bytes); });
}

}  // namespace
}  // namespace earshot
