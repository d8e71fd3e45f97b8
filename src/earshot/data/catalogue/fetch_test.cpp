#include "earshot/data/catalogue/fetch.hpp"

#include <cstdlib>
#include <deque>
#include <fstream>

#include <gmock/gmock.h>
#include <zlib.h>

#include "earshot/core/error.hpp"
#include "earshot/data/catalogue/download.hpp"
#include "earshot/data/catalogue/http_test_server.hpp"
#include "earshot/data/formats/zip.hpp"
#include "source_dir.hpp"

namespace earshot {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

std::string gzipped(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

class Fetch : public ::testing::Test {
 protected:
  Fetch() {
    ::setenv("no_proxy", "127.0.0.1", 1);
    std::string name = (std::filesystem::temp_directory_path() / "earshot-fetch-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
    directory_ = name;
    for (std::size_t i = 0; i < 5000; ++i) content_ += fmt::format("{} ", i * i);
  }
  ~Fetch() override { std::filesystem::remove_all(directory_); }

  /// A catalogued file of that content; without a URL, it is on our server under the same name.
  void catalogue(const std::string& name, const std::string& content, std::string url = "",
                 const std::string& member = "") {
    if (url.empty()) url = server_.url("/" + name);
    const auto keep = [this](const std::string& text) -> std::string_view {
      return kept_.emplace_back(text);
    };
    files_.push_back({keep("set/" + name), content.size(),
                      keep(sha256({reinterpret_cast<const std::uint8_t*>(content.data()), content.size()})),
                      keep(url), keep(member)});
  }
  DatasetEntry entry() const { return {"set", "", "", "", "ask somebody", files_}; }
  std::vector<FetchedFile> fetch_all(const std::string& mirror = "") {
    return fetch(entry(), {.directory = directory_, .mirror = mirror});
  }
  std::vector<std::string> listing() const {
    std::vector<std::string> names;
    for (const auto& item : std::filesystem::recursive_directory_iterator(directory_))
      if (item.is_regular_file()) names.push_back(item.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }
  void write(const std::string& name, const std::string& content) {
    std::filesystem::create_directories(directory_ / "set");
    std::ofstream(directory_ / "set" / name, std::ios::binary) << content;
  }
  std::string read(const std::string& name) const { return text_of(directory_ / "set" / name); }

  HttpTestServer server_;
  std::filesystem::path directory_;
  std::string content_;
  std::deque<std::string> kept_;
  std::vector<DatasetFile> files_;
};

TEST_F(Fetch, BringsAFileOnceAndLeavesAGoodOneAlone) {
  catalogue("a.bin", content_);
  server_.put("/a.bin", {.content = content_});
  EXPECT_EQ(fetch_all().at(0).outcome, FetchOutcome::kFetched);
  EXPECT_THAT(listing(), ElementsAre("a.bin"));
  EXPECT_EQ(read("a.bin"), content_);
  EXPECT_EQ(fetch_all().at(0).outcome, FetchOutcome::kPresent);
  EXPECT_THAT(server_.requests(), ElementsAre(SeenRequest{"/a.bin", ""}));
}

TEST_F(Fetch, BringsAnEmptyFile) {
  catalogue("empty", "");
  server_.put("/empty", {});
  fetch_all();
  EXPECT_THAT(listing(), ElementsAre("empty"));
}

TEST_F(Fetch, KeepsGzippedContentGzipped) {
  catalogue("a.csv", content_, server_.url("/a.csv.gz"));
  server_.put("/a.csv.gz", {.content = gzipped(content_)});
  write("a.csv", "damaged");
  fetch_all();
  EXPECT_THAT(listing(), ElementsAre("a.csv.gz")) << "the damaged file is gone: it would be found first";
  EXPECT_EQ(verify(entry(), directory_).at(0).state, FileState::kOk);
}

TEST_F(Fetch, TakesABrokenConnectionUpAgainWhileItBringsSomething) {
  catalogue("a.bin", content_);
  server_.put("/a.bin", {.content = content_, .cut_after = content_.size() / 3 + 1});
  fetch_all();
  EXPECT_EQ(read("a.bin"), content_);
  const std::size_t third = content_.size() / 3 + 1;
  EXPECT_THAT(server_.requests(),
              ElementsAre(SeenRequest{"/a.bin", ""}, SeenRequest{"/a.bin", fmt::format("bytes={}-", third)},
                          SeenRequest{"/a.bin", fmt::format("bytes={}-", 2 * third)}));
}

TEST_F(Fetch, KeepsWhatArrivedAndResumesNextTime) {
  catalogue("a.bin", content_);
  server_.put("/a.bin", {.content = content_, .cut_after = 1000, .resumes = false});
  EXPECT_THAT([&] { fetch_all(); },
              ThrowsMessage<Error>(HasSubstr("1000 bytes are kept, and fetching again goes on")));
  EXPECT_THAT(listing(), ElementsAre("a.bin.partial"));
  server_.put("/a.bin", {.content = content_});
  fetch_all();
  EXPECT_THAT(listing(), ElementsAre("a.bin"));
  EXPECT_EQ(read("a.bin"), content_);
  EXPECT_EQ(server_.requests().back(), (SeenRequest{"/a.bin", "bytes=1000-"}));
}

TEST_F(Fetch, StartsOverWhenTheServerCannotResume) {
  catalogue("a.bin", content_);
  write("a.bin.partial", content_.substr(0, 1000));
  server_.put("/a.bin", {.content = content_, .resumes = false});
  fetch_all();
  EXPECT_EQ(read("a.bin"), content_);
}

TEST_F(Fetch, AcceptsAPartialFileThatIsWhole) {
  catalogue("a.bin", content_);
  write("a.bin.partial", content_);
  server_.put("/a.bin", {.content = content_});
  fetch_all();
  EXPECT_EQ(read("a.bin"), content_);
  EXPECT_THAT(server_.requests(), SizeIs(1));
}

TEST_F(Fetch, FetchesAgainFromTheBeginningWhenAResumedFileIsWrong) {
  catalogue("a.bin", content_);
  write("a.bin.partial", std::string(1000, 'x'));
  server_.put("/a.bin", {.content = content_});
  fetch_all();
  EXPECT_EQ(read("a.bin"), content_);
  EXPECT_THAT(server_.requests(),
              ElementsAre(SeenRequest{"/a.bin", "bytes=1000-"}, SeenRequest{"/a.bin", ""}));
}

TEST_F(Fetch, WrongContentLeavesNothingAndHarmsNothing) {
  catalogue("a.bin", content_);
  write("a.bin", "damaged");
  std::string other = content_;
  other[77] ^= 1;
  for (const std::string& wrong : {other, content_ + "x", std::string("<html>")}) {
    server_.put("/a.bin", {.content = wrong});
    EXPECT_THAT([&] { fetch_all(); }, ThrowsMessage<Error>(AllOf(HasSubstr("dataset set: http://127.0.0.1"),
                                                                 HasSubstr("not the catalogued content"))));
    EXPECT_THAT(listing(), ElementsAre("a.bin"));
    EXPECT_EQ(read("a.bin"), "damaged");
  }
  server_.put("/a.bin", {.content = content_});
  fetch_all();
  EXPECT_EQ(read("a.bin"), content_) << "a damaged file is replaced by a good one";
}

TEST_F(Fetch, SaysWhatTheServerAnswered) {
  catalogue("a.bin", content_);
  EXPECT_THAT([&] { fetch_all(); },
              ThrowsMessage<Error>(HasSubstr("/a.bin: the server answers 404 (not found)")));
  server_.put("/a.bin", {.content = "busy", .status = 503});
  EXPECT_THAT([&] { fetch_all(); }, ThrowsMessage<Error>(HasSubstr("the server answers 503")));
  EXPECT_THAT(listing(), ElementsAre());
}

TEST_F(Fetch, SaysThatNobodyAnswers) {
  std::string dead;
  {
    const HttpTestServer gone;
    dead = gone.url("/a.bin");
  }
  catalogue("a.bin", content_, dead);
  EXPECT_THAT([&] { fetch_all(); },
              ThrowsMessage<Error>(AllOf(HasSubstr(dead), ::testing::Not(HasSubstr("kept")))));
  EXPECT_THAT(listing(), ElementsAre());
}

TEST_F(Fetch, FollowsRedirectsWithinTheRules) {
  HttpTestServer elsewhere;
  catalogue("a.bin", content_);
  server_.put("/a.bin", {.status = 302, .location = "/b.bin"});
  server_.put("/b.bin", {.status = 307, .location = elsewhere.url("/c.bin")});
  elsewhere.put("/c.bin", {.content = content_});
  fetch_all();
  EXPECT_EQ(read("a.bin"), content_);
  server_.put("/a.bin", {.status = 302, .location = "/a.bin"});
  std::filesystem::remove(directory_ / "set/a.bin");
  EXPECT_THAT([&] { fetch_all(); }, ThrowsMessage<Error>(HasSubstr("redirected more than 5 times")));
}

TEST_F(Fetch, AMirrorIsAskedForHostAndPathAndNeverLeft) {
  catalogue("a.bin", content_, "https://data.example/some/a.bin");
  server_.put("/mirror/data.example/some/a.bin", {.content = content_});
  fetch_all(server_.url("/mirror/"));
  EXPECT_EQ(read("a.bin"), content_);
  std::filesystem::remove(directory_ / "set/a.bin");
  HttpTestServer elsewhere;
  elsewhere.put("/a.bin", {.content = content_});
  server_.put("/mirror/data.example/some/a.bin", {.status = 302, .location = elsewhere.url("/a.bin")});
  EXPECT_THAT([&] { fetch_all(server_.url("/mirror")); },
              ThrowsMessage<Error>(HasSubstr("redirects to another host")));
  EXPECT_THAT(elsewhere.requests(), SizeIs(0));
}

TEST_F(Fetch, UnpacksTheFilesOfOneArchiveFromOneDownload) {
  const std::string corpus = std::string(EARSHOT_SOURCE_DIR) + "/tests/corpus/";
  const std::string zip = text_of(corpus + "zip/good-deflated.zip"),
                    tar = text_of(corpus + "tar/good-ustar.tar");
  server_.put("/z.zip", {.content = zip});
  server_.put("/t.tar.gz", {.content = gzipped(tar)});
  const std::string in_tar = tar.substr(2 * 512, 4);  // after the headers of d/ and d/a.txt
  std::string in_zip;
  for (const ZipFile& file : parse_zip({reinterpret_cast<const std::uint8_t*>(zip.data()), zip.size()}))
    if (file.path == "d/a.txt") in_zip.assign(file.content.begin(), file.content.end());
  catalogue("one.txt", in_zip, server_.url("/z.zip"), "d/a.txt");
  catalogue("two.txt", "", server_.url("/z.zip"), "b");
  catalogue("three.txt", in_tar, server_.url("/t.tar.gz"), "d/a.txt");
  fetch_all();
  EXPECT_THAT(listing(), ElementsAre("one.txt", "three.txt", "two.txt"));
  EXPECT_EQ(read("one.txt"), in_zip);
  EXPECT_EQ(read("three.txt"), in_tar);
  EXPECT_THAT(server_.requests(), SizeIs(2));
}

TEST_F(Fetch, AnArchiveWithoutTheFileOrWithAnotherLeavesNothing) {
  const std::string corpus = std::string(EARSHOT_SOURCE_DIR) + "/tests/corpus/zip/";
  server_.put("/z.zip", {.content = text_of(corpus + "good-deflated.zip")});
  catalogue("one.txt", "", server_.url("/z.zip"), "b");
  catalogue("two.txt", "?", server_.url("/z.zip"), "nothing.txt");
  EXPECT_THAT([&] { fetch_all(); },
              ThrowsMessage<Error>(HasSubstr("there is no file nothing.txt in the archive")));
  EXPECT_THAT(listing(), ElementsAre());
  files_.pop_back();
  catalogue("two.txt", "another content", server_.url("/z.zip"), "d/a.txt");
  EXPECT_THAT([&] { fetch_all(); },
              ThrowsMessage<Error>(HasSubstr("set/two.txt: 80 bytes uncompressed, expected 15")));
  server_.put("/z.zip", {.content = text_of(corpus + "bad-crc.zip")});
  EXPECT_THAT([&] { fetch_all(); }, ThrowsMessage<Error>(HasSubstr("not the catalogued content")));
  EXPECT_THAT(listing(), ElementsAre());
}

TEST_F(Fetch, FilesWithoutASourceAreByHand) {
  catalogue("a.bin", content_);
  catalogue("derived.csv", content_);
  files_.back().url = {};
  server_.put("/a.bin", {.content = content_});
  EXPECT_TRUE(has_source(entry()));
  const auto answers = fetch_all();
  EXPECT_EQ(answers.at(0).outcome, FetchOutcome::kFetched);
  EXPECT_EQ(answers.at(1).outcome, FetchOutcome::kByHand);
  files_.erase(files_.begin());
  EXPECT_FALSE(has_source(entry()));
}

TEST(FetchMirror, OptionBeforeEnvironment) {
  ::unsetenv("EARSHOT_FETCH_MIRROR");
  EXPECT_EQ(fetch_mirror(""), "");
  ::setenv("EARSHOT_FETCH_MIRROR", "http://inside.example/data", 1);
  EXPECT_EQ(fetch_mirror(""), "http://inside.example/data");
  EXPECT_EQ(fetch_mirror("https://other.example"), "https://other.example");
  ::unsetenv("EARSHOT_FETCH_MIRROR");
  for (const char* wrong : {"ftp://a.example", "inside.example", "file:///etc", "http://"})
    EXPECT_THAT([&] { fetch_mirror(wrong); },
                ThrowsMessage<Error>(HasSubstr("write http://... or https://...")));
}

TEST(Redirect, NeverLeadsToPlainHttp) {
  EXPECT_EQ(allowed_redirect("https://a.example/x", "https://b.example/y", false), "https://b.example/y");
  EXPECT_EQ(allowed_redirect("http://a.example/x", "https://a.example:80/y", true), "https://a.example:80/y");
  EXPECT_THAT([] { allowed_redirect("https://a.example/x", "http://a.example/x", false); },
              ThrowsMessage<Error>(HasSubstr("unencrypted")));
  EXPECT_THAT([] { allowed_redirect("https://a.example/x", "https://a.example:444/x", true); },
              ThrowsMessage<Error>(HasSubstr("another host")));
  EXPECT_THAT([] { allowed_redirect("https://a.example/x", "file:///etc/passwd", false); },
              ::testing::Throws<Error>());
}

TEST(Sources, AreEncryptedAndTellArchivesFromFiles) {
  for (const DatasetEntry& entry : ::earshot::catalogue())
    for (const DatasetFile& file : entry.files) {
      if (file.url.empty()) {
        EXPECT_TRUE(file.member.empty()) << file.path;
        continue;
      }
      EXPECT_TRUE(file.url.starts_with("https://")) << file.path;
      const bool archive =
          file.url.ends_with(".zip") || file.url.ends_with(".tar.gz") || file.url.ends_with(".tgz");
      EXPECT_EQ(archive, !file.member.empty()) << file.path;
      const auto same = [&](const DatasetFile& other) { return other.url == file.url; };
      EXPECT_TRUE(archive || std::ranges::count_if(entry.files, same) == 1) << file.path;
    }
}

}  // namespace
}  // namespace earshot
