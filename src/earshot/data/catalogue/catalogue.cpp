#include "earshot/data/catalogue/catalogue.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/text.hpp"
#include "earshot/data/catalogue/catalogue_entries.hpp"

namespace earshot {
namespace {

bool is_file(const std::filesystem::path& path) {
  std::error_code code;
  return std::filesystem::is_regular_file(path, code);
}

/// Where the file lies, or an empty path.
std::filesystem::path find_on_disk(const DatasetFile& file, const std::filesystem::path& directory) {
  std::filesystem::path path = directory / file.path;
  if (!is_file(path)) path += ".gz";
  if (!is_file(path)) path.clear();
  return path;
}

std::string missing_message(const DatasetEntry& entry, const DatasetFile& file,
                            const std::filesystem::path& directory) {
  return fmt::format(
      "dataset {}: {}[.gz] is not in {}; to get it: {}; or set EARSHOT_DATA to the directory that has it",
      entry.name, file.path, directory.string(), entry.how_to_get);
}

std::pair<FileStatus, Bytes> read_and_check(const DatasetFile& file, const std::filesystem::path& path) {
  Bytes bytes = read_bytes(path);
  FileStatus status = check_content(file, bytes, path);
  return {std::move(status), std::move(bytes)};
}

FileStatus verify_file(const DatasetEntry& entry, const DatasetFile& file,
                       const std::filesystem::path& directory) {
  const std::filesystem::path path = find_on_disk(file, directory);
  if (path.empty()) return {&file, FileState::kMissing, missing_message(entry, file, directory)};
  if (file.sha256.empty()) return check_content(file, {}, path);
  try {
    return read_and_check(file, path).first;
  } catch (const Error& error) {
    return {&file, FileState::kUnreadable, error.what()};
  }
}

}  // namespace

std::span<const DatasetEntry> catalogue() {
  static const std::vector<DatasetEntry> entries = [] {
    std::vector<DatasetEntry> all;
    for (const auto part :
         {catalogued_images(), catalogued_tables(), catalogued_graphs(), catalogued_places()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return entries;
}

const DatasetEntry& find_dataset(std::string_view name) {
  std::vector<std::string> names;
  for (const DatasetEntry& entry : catalogue()) {
    if (entry.name == name) return entry;
    names.emplace_back(entry.name);
  }
  fail(Fault::kUsage, fmt::format("no dataset \"{}\"; {}", name, suggest(name, names)));
}

const DatasetFile& find_file(const DatasetEntry& entry, std::string_view path) {
  const auto file = std::ranges::find(entry.files, path, &DatasetFile::path);
  if (file == entry.files.end())
    fail(Fault::kInternal, fmt::format("no file {} in dataset {}", path, entry.name));
  return *file;
}

std::filesystem::path data_directory() {
  const char* given = std::getenv("EARSHOT_DATA");
  return given != nullptr && *given != '\0' ? given : "data";
}

std::filesystem::path locate(const DatasetEntry& entry, const DatasetFile& file,
                             const std::filesystem::path& directory) {
  std::filesystem::path path = find_on_disk(file, directory);
  if (path.empty()) fail(Fault::kData, missing_message(entry, file, directory));
  return path;
}

bool is_own_copy(const DatasetEntry& entry) {
  return std::ranges::any_of(entry.files, [](const DatasetFile& file) { return file.sha256.empty(); });
}

bool is_present(const DatasetEntry& entry, const std::filesystem::path& directory) {
  return std::ranges::all_of(entry.files,
                             [&](const DatasetFile& file) { return !find_on_disk(file, directory).empty(); });
}

std::string_view to_string(FileState state) {
  switch (state) {
    case FileState::kOk:
      return "ok";
    case FileState::kUnchecked:
      return "unchecked";
    case FileState::kMissing:
      return "missing";
    case FileState::kUnreadable:
      return "unreadable";
    case FileState::kWrongSize:
      return "wrong size";
    case FileState::kWrongChecksum:
      return "wrong checksum";
  }
  return "unknown";
}

bool is_good(FileState state) {
  return state == FileState::kOk || state == FileState::kUnchecked;
}

FileStatus check_content(const DatasetFile& file, const Bytes& content, const std::filesystem::path& path) {
  if (file.sha256.empty()) {
    return {&file, FileState::kUnchecked,
            fmt::format("{}: a copy of your own, no checksum is known to compare it with", path.string())};
  }
  if (content.size() != file.bytes) {
    return {&file, FileState::kWrongSize,
            fmt::format("{}: {} bytes uncompressed, expected {}", path.string(), content.size(), file.bytes)};
  }
  const std::string sum = sha256(content);
  if (sum != file.sha256) {
    return {&file, FileState::kWrongChecksum,
            fmt::format("{}: sha256 of the uncompressed content is {}, expected {}", path.string(), sum,
                        file.sha256)};
  }
  return {&file, FileState::kOk, ""};
}

std::vector<FileStatus> verify(const DatasetEntry& entry, const std::filesystem::path& directory) {
  std::vector<FileStatus> statuses;
  for (const DatasetFile& file : entry.files) statuses.push_back(verify_file(entry, file, directory));
  return statuses;
}

Bytes read_verified(const DatasetEntry& entry, const DatasetFile& file,
                    const std::filesystem::path& directory) {
  auto [status, bytes] = read_and_check(file, locate(entry, file, directory));
  if (status.state != FileState::kOk)
    fail(Fault::kData, fmt::format("dataset {}: {}", entry.name, status.detail));
  return std::move(bytes);
}

CataloguedText read_catalogued(std::string_view dataset, std::string_view path,
                               const std::filesystem::path& directory) {
  const DatasetEntry& entry = find_dataset(dataset);
  const DatasetFile& file = find_file(entry, path);
  const Bytes bytes = read_verified(entry, file, directory);
  return {std::string(bytes.begin(), bytes.end()), locate(entry, file, directory).string()};
}

}  // namespace earshot
