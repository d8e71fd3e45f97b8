// The datasets earshot knows: their files, what those must contain, and where they are looked for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "earshot/core/files.hpp"

namespace earshot {

/// Size and checksum are of the uncompressed content; on disk either `path` or `path`.gz is accepted. Neither
/// is known of a file that only its users may have: any content is then accepted that its loader can read.
struct DatasetFile {
  std::string_view path;  // relative to the data directory
  std::uint64_t bytes = 0;
  std::string_view sha256{};  // empty: not known
  std::string_view url{};     // where `earshot data fetch` gets it, plain or gzipped; empty: only by hand
  std::string_view member{};  // the file inside, if the URL is of a .zip or .tar.gz archive
};

struct DatasetEntry {
  std::string_view name;
  std::string_view summary;
  std::string_view licence;
  std::string_view citation;
  std::string_view how_to_get;
  std::span<const DatasetFile> files;
};

std::span<const DatasetEntry> catalogue();
/// Fails with the nearest spelling when no dataset has that name.
const DatasetEntry& find_dataset(std::string_view name);

/// The entry's file of that path; asking for one it does not have is a bug.
const DatasetFile& find_file(const DatasetEntry& entry, std::string_view path);

/// $EARSHOT_DATA if set and not empty, else ./data.
std::filesystem::path data_directory();

/// The file as it lies on disk (`path` or `path`.gz); when neither exists, the error says where it was looked
/// for and how to get it.
std::filesystem::path locate(const DatasetEntry& entry, const DatasetFile& file,
                             const std::filesystem::path& directory);

/// Whether the dataset may not be passed on, so that no checksum of it is known: users bring their own copy.
bool is_own_copy(const DatasetEntry& entry);

/// Whether every file is there; what they hold is not looked at.
bool is_present(const DatasetEntry& entry, const std::filesystem::path& directory);

/// kUnchecked: it is there, and there is no checksum to compare it with.
enum class FileState { kOk, kUnchecked, kMissing, kUnreadable, kWrongSize, kWrongChecksum };
std::string_view to_string(FileState state);
/// Whether the file is there and nothing is known to be wrong with it.
bool is_good(FileState state);

struct FileStatus {
  const DatasetFile* file = nullptr;
  FileState state = FileState::kMissing;
  std::string detail;  // one sentence when the state is not kOk
};

/// Compares uncompressed content with what the catalogue says; `path` is for the message only.
FileStatus check_content(const DatasetFile& file, const Bytes& content, const std::filesystem::path& path);

/// One status per file of the entry, in order. Never throws for what is wrong with the files.
std::vector<FileStatus> verify(const DatasetEntry& entry, const std::filesystem::path& directory);

/// The uncompressed content; fails unless it is exactly the catalogued one.
Bytes read_verified(const DatasetEntry& entry, const DatasetFile& file,
                    const std::filesystem::path& directory);

/// A catalogued text file, verified, and its path for messages.
struct CataloguedText {
  std::string text;
  std::string origin;
};
CataloguedText read_catalogued(std::string_view dataset, std::string_view path,
                               const std::filesystem::path& directory);

}  // namespace earshot
