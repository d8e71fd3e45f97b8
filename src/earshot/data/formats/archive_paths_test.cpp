#include "earshot/data/formats/archive_paths.hpp"

#include <gmock/gmock.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(ArchivePaths, PlainPathsAreKeptAndLeadingDotsDropped) {
  ArchivePaths paths;
  EXPECT_EQ(paths.add_file("a.txt"), "a.txt");
  EXPECT_EQ(paths.add_file("./d/e/b c.txt"), "d/e/b c.txt");
  EXPECT_EQ(paths.add_file("..c/...d"), "..c/...d");
  EXPECT_NO_THROW(paths.add_directory("./"));
  EXPECT_NO_THROW(paths.add_directory("."));
  EXPECT_NO_THROW(paths.add_directory("d/"));
  EXPECT_NO_THROW(paths.add_directory("d/"));
}

void expect_refusal(const std::string& path, const std::string& part) {
  EXPECT_THAT([&] { ArchivePaths().add_file(path); }, ThrowsMessage<Error>(HasSubstr(part))) << path;
  EXPECT_THAT([&] { ArchivePaths().add_directory(path + "/"); }, ThrowsMessage<Error>(HasSubstr(part)))
      << path;
}

TEST(ArchivePaths, WhatReachesOutsideIsRefused) {
  expect_refusal("/etc/passwd", "absolute");
  expect_refusal(".//etc/passwd", "absolute");
  for (const std::string path : {"../x", "a/../../x", "a/..", "./../x", "..", "a/./b"})
    expect_refusal(path, "\"..\"");
  expect_refusal("a//b", "empty part");
  expect_refusal("..\\x", "backslash");
  expect_refusal("a\nb", "archive member \"a\\nb\" has a character");
  expect_refusal(std::string("a\0b", 3), "not printable ASCII");
  expect_refusal("\xc3\xa9", "not printable ASCII");
  expect_refusal(std::string(1025, 'x'), "more than 1024 bytes");
  EXPECT_THAT([] { ArchivePaths().add_file(""); }, ThrowsMessage<Error>(HasSubstr("no name")));
  EXPECT_THAT([] { ArchivePaths().add_file("./"); }, ThrowsMessage<Error>(HasSubstr("no name")));
  EXPECT_THAT([] { ArchivePaths().add_file("a/"); }, ThrowsMessage<Error>(HasSubstr("empty part")));
}

TEST(ArchivePaths, ANameStandsForOneThing) {
  ArchivePaths paths;
  paths.add_file("a/b");
  paths.add_directory("c");
  EXPECT_THAT([&] { paths.add_file("./a/b"); }, ThrowsMessage<Error>(HasSubstr("comes twice")));
  EXPECT_THAT([&] { paths.add_file("a"); }, ThrowsMessage<Error>(HasSubstr("a file and a directory")));
  EXPECT_THAT([&] { paths.add_file("c"); }, ThrowsMessage<Error>(HasSubstr("a file and a directory")));
  EXPECT_THAT([&] { paths.add_directory("a/b"); }, ThrowsMessage<Error>(HasSubstr("a file and a directory")));
  EXPECT_THAT([&] { paths.add_file("a/b/c"); }, ThrowsMessage<Error>(HasSubstr("below a file")));
  EXPECT_THAT([&] { paths.add_directory("a/b/c/d"); }, ThrowsMessage<Error>(HasSubstr("below a file")));
  EXPECT_NO_THROW(paths.add_file("a.b"));
  EXPECT_NO_THROW(paths.add_file("a/bc"));
}

}  // namespace
}  // namespace earshot
