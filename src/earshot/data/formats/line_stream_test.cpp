#include "earshot/data/formats/line_stream.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <unistd.h>
#include <zlib.h>

#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::vector<std::string> all_lines(LineStream lines) {
  std::vector<std::string> all;
  for (std::string_view line; lines.next(line);) all.emplace_back(line);
  return all;
}

std::vector<std::string> lines_of(std::string_view text) {
  return all_lines(LineStream(TextFile{text, "f"}));
}

class LineStreamFile : public ::testing::Test {
 protected:
  LineStreamFile()
      : path_(std::filesystem::temp_directory_path() / ("earshot_lines_" + std::to_string(::getpid()))) {}
  ~LineStreamFile() override { std::filesystem::remove(path_); }

  void write(const std::string& text, bool compressed) const {
    const gzFile file = gzopen(path_.c_str(), compressed ? "wb" : "wbT");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
  }

  std::filesystem::path path_;
};

TEST(LineStream, LinesEndInLineFeedOrNothing) {
  EXPECT_THAT(lines_of("a\nb\r\n\nc"), ElementsAre("a", "b", "", "c"));
  EXPECT_THAT(lines_of("a\n"), ElementsAre("a"));
  EXPECT_THAT(lines_of(""), ElementsAre());
  EXPECT_THAT(lines_of("\n"), ElementsAre(""));
  EXPECT_THAT(lines_of("\xef\xbb\xbfx\n"), ElementsAre("x"));
}

TEST(LineStream, RefusesWhatIsNoText) {
  EXPECT_THAT([] { lines_of(std::string_view("a\nb\0c\n", 6)); },
              ThrowsMessage<Error>(HasSubstr("f:2: holds a zero byte")));
  const std::string text = "a\n" + std::string(LineStream::kLongestLine + 1, 'x') + "\n";
  EXPECT_THAT([&] { lines_of(text); }, ThrowsMessage<Error>(HasSubstr("f:2: the line is longer")));
  EXPECT_THAT([] { LineStream{std::filesystem::path("/no/such/file")}; },
              ThrowsMessage<Error>(HasSubstr("cannot be opened")));
  EXPECT_THAT([] { LineStream{std::filesystem::temp_directory_path()}; },
              ThrowsMessage<Error>(HasSubstr("is a directory")));
}

TEST_F(LineStreamFile, LinesAcrossBuffersAreTheSamePlainAndGzipped) {
  Stream stream(StreamName{.seed = 5});
  std::vector<std::string> expected;
  std::string text;
  while (text.size() < 3'000'000) {
    expected.emplace_back(stream.below(90), static_cast<char>('a' + stream.below(26)));
    text += expected.back() + (stream.below(2) == 0 ? "\n" : "\r\n");
  }
  for (const bool compressed : {false, true}) {
    write(text, compressed);
    EXPECT_EQ(all_lines(LineStream(path_)), expected) << compressed;
  }
}

TEST_F(LineStreamFile, ATruncatedGzipFileIsRefused) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += std::to_string(i * 7919 % 100003) + "\n";
  write(text, true);
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) / 2);
  EXPECT_THAT([&] { all_lines(LineStream(path_)); },
              ThrowsMessage<Error>(HasSubstr("gzip data is truncated")));
}

}  // namespace
}  // namespace earshot
