#include "earshot/data/catalogue/catalogue.hpp"

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>
#include <zlib.h>

#include "earshot/core/error.hpp"
#include "earshot/data/catalogue/catalogue_entries.hpp"
#include "earshot/data/catalogue/test_data.hpp"
#include "source_dir.hpp"

namespace earshot {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const std::string kContent = "a small file\n";

/// A data directory of its own, and an entry with one file whose right content is kContent.
class CatalogueOnDisk : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::temp_directory_path() / ("earshot-catalogue-" + std::to_string(::getpid()));
    std::filesystem::create_directories(directory_ / "sample");
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  void write(const std::string& name, const std::string& content) const {
    std::ofstream(directory_ / name, std::ios::binary) << content;
  }
  void write_gzipped(const std::string& name, const std::string& content) const {
    gzFile file = gzopen((directory_ / name).c_str(), "wb");
    gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
    gzclose(file);
  }
  FileStatus status() const { return verify(entry_, directory_).at(0); }

  std::filesystem::path directory_;
  std::string sum_ =
      sha256(std::span(reinterpret_cast<const std::uint8_t*>(kContent.data()), kContent.size()));
  DatasetFile file_{"sample/values", kContent.size(), sum_};
  DatasetEntry entry_{"sample", "", "", "", "make data", std::span(&file_, 1)};
};

TEST_F(CatalogueOnDisk, AcceptsThePlainFile) {
  write("sample/values", kContent);
  EXPECT_EQ(status().state, FileState::kOk);
  EXPECT_EQ(read_verified(entry_, file_, directory_), Bytes(kContent.begin(), kContent.end()));
}

TEST_F(CatalogueOnDisk, AcceptsTheGzippedFile) {
  write_gzipped("sample/values.gz", kContent);
  EXPECT_EQ(status().state, FileState::kOk);
  EXPECT_EQ(read_verified(entry_, file_, directory_), Bytes(kContent.begin(), kContent.end()));
}

TEST_F(CatalogueOnDisk, AMissingFileNamesTheDirectoryAndTheFix) {
  EXPECT_EQ(status().state, FileState::kMissing);
  EXPECT_THAT([&] { read_verified(entry_, file_, directory_); },
              ThrowsMessage<Error>(AllOf(HasSubstr(directory_.string()), HasSubstr("sample/values"),
                                         HasSubstr("make data"), HasSubstr("EARSHOT_DATA"))));
}

TEST_F(CatalogueOnDisk, APresentFileIsNotRead) {
  EXPECT_FALSE(is_present(entry_, directory_));
  write("sample/values.gz", "not what it says");
  EXPECT_TRUE(is_present(entry_, directory_));
}

TEST_F(CatalogueOnDisk, WithoutAChecksumAFileIsThereButUnchecked) {
  EXPECT_FALSE(is_own_copy(entry_));
  file_ = {"sample/values"};
  EXPECT_TRUE(is_own_copy(entry_));
  EXPECT_EQ(status().state, FileState::kMissing);
  EXPECT_FALSE(is_good(status().state));
  write("sample/values", "anything");
  EXPECT_EQ(status().state, FileState::kUnchecked);
  EXPECT_TRUE(is_good(status().state));
  // What is not known cannot be verified.
  EXPECT_THAT([&] { read_verified(entry_, file_, directory_); },
              ThrowsMessage<Error>(HasSubstr("a copy of your own, no checksum is known to compare it with")));
}

TEST_F(CatalogueOnDisk, ADirectoryInItsPlaceIsMissing) {
  std::filesystem::create_directories(directory_ / "sample/values");
  EXPECT_FALSE(is_present(entry_, directory_));
  EXPECT_EQ(status().state, FileState::kMissing);
}

TEST_F(CatalogueOnDisk, SeesAWrongSize) {
  write("sample/values", kContent + "x");
  EXPECT_EQ(status().state, FileState::kWrongSize);
  EXPECT_THROW(read_verified(entry_, file_, directory_), Error);
}

TEST_F(CatalogueOnDisk, SeesOneChangedByte) {
  std::string changed = kContent;
  changed[3] ^= 1;
  write("sample/values", changed);
  EXPECT_EQ(status().state, FileState::kWrongChecksum);
  EXPECT_THROW(read_verified(entry_, file_, directory_), Error);
}

TEST_F(CatalogueOnDisk, ATruncatedGzipFileIsUnreadable) {
  write_gzipped("sample/values.gz", kContent);
  std::filesystem::resize_file(directory_ / "sample/values.gz", 20);
  EXPECT_EQ(status().state, FileState::kUnreadable);
  EXPECT_THAT(status().detail, HasSubstr("values.gz"));
}

TEST(Catalogue, EntriesAreComplete) {
  std::set<std::string_view> names;
  std::set<std::string_view> sums;
  for (const DatasetEntry& entry : catalogue()) {
    SCOPED_TRACE(std::string(entry.name));
    EXPECT_TRUE(names.insert(entry.name).second);
    EXPECT_EQ(&find_dataset(entry.name), &entry);
    for (const auto text : {entry.summary, entry.licence, entry.citation, entry.how_to_get})
      EXPECT_FALSE(text.empty());
    for (const DatasetFile& file : entry.files) {
      EXPECT_TRUE(file.path.starts_with(std::string(entry.name) + "/")) << file.path;
      if (file.sha256.empty()) {
        EXPECT_EQ(file.bytes, 0u) << file.path;
        EXPECT_TRUE(file.url.empty()) << file.path << ": what is fetched must be checked";
        continue;
      }
      EXPECT_EQ(file.sha256.size(), 64u) << file.path;
      EXPECT_TRUE(sums.insert(file.sha256).second) << file.path;
    }
  }
}

TEST(Catalogue, AnUnknownNameGetsTheNearestSpelling) {
  EXPECT_THAT([] { find_dataset("mnits"); }, ThrowsMessage<Error>(HasSubstr("did you mean \"mnist\"?")));
}

TEST(Catalogue, FilesAreFoundByPath) {
  const DatasetEntry& adult = find_dataset("adult");
  EXPECT_EQ(&find_file(adult, "adult/adult.test"), &adult.files[1]);
  EXPECT_THROW(find_file(adult, "adult/adult.names"), Error);
}

// `make data` verifies what it fetches with this list, before the program exists: the two must not drift
// apart.
TEST(Catalogue, AgreesWithTheChecksumsOfMakeData) {
  std::ifstream list(EARSHOT_SOURCE_DIR "/scripts/npm-content.sha256");
  std::map<std::string, std::string> sums;
  for (std::string sum, path; list >> sum >> path;) sums[path] = sum;
  for (const DatasetFile& file : find_dataset("mnist").files)
    EXPECT_EQ(sums[std::string(file.path)], file.sha256) << file.path;
}

TEST(Catalogue, AgreesWithTheDocumentation) {
  const std::string page = read_text(EARSHOT_SOURCE_DIR "/docs/data.md");
  for (const DatasetEntry& entry : catalogue()) {
    for (const DatasetFile& file : entry.files) {
      const std::string row = fmt::format("| `{}` | {} | `{}` |", file.path, file.bytes, file.sha256);
      const std::string unchecked = fmt::format("| `{}` | not known | not known |", file.path);
      EXPECT_THAT(page, HasSubstr(file.sha256.empty() ? unchecked : row));
    }
  }
}

TEST(Catalogue, DataDirectoryFollowsTheEnvironment) {
  const char* before = std::getenv("EARSHOT_DATA");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("EARSHOT_DATA", "/somewhere/else", 1);
  EXPECT_EQ(data_directory(), "/somewhere/else");
  ::setenv("EARSHOT_DATA", "", 1);
  EXPECT_EQ(data_directory(), "data");
  ::unsetenv("EARSHOT_DATA");
  EXPECT_EQ(data_directory(), "data");
  if (before != nullptr) ::setenv("EARSHOT_DATA", kept.c_str(), 1);
}

// The image files are read whole by their own loaders' tests; here every other catalogued file is.
TEST(Catalogue, EveryFileOfTablesAndNetworksIsTheCataloguedOne) {
  for (const auto part : {catalogued_tables(), catalogued_graphs(), catalogued_places()}) {
    for (const DatasetEntry& entry : part) {
      if (is_own_copy(entry)) continue;
      EARSHOT_NEEDS_DATASET(entry.name);
      for (const FileStatus& status : verify(entry, data_directory()))
        EXPECT_EQ(status.state, FileState::kOk) << status.detail;
    }
  }
}

}  // namespace
}  // namespace earshot
