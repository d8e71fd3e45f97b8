#include "earshot/data/catalogue/fetch.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/data/catalogue/download.hpp"
#include "earshot/data/formats/tar.hpp"
#include "earshot/data/formats/zip.hpp"

namespace earshot {
namespace {

std::string mirrored(std::string_view url, std::string mirror) {
  if (mirror.empty()) return std::string(url);
  while (mirror.ends_with('/')) mirror.pop_back();
  return mirror + "/" + std::string(url.substr(url.find("://") + 3));
}

/// The last part of a URL's path.
std::string name_in(std::string_view url) {
  url = url.substr(0, url.find('?'));
  return std::string(url.substr(url.rfind('/') + 1));
}

/// Files that lie in one archive are downloaded together; any other file is a parcel of its own.
struct Parcel {
  std::string_view url;
  std::vector<const DatasetFile*> files;
  bool archive() const { return !files.front()->member.empty(); }
};

std::vector<Parcel> parcels_of(const DatasetEntry& entry, const std::vector<const DatasetFile*>& wanted) {
  std::vector<Parcel> parcels;
  for (const DatasetFile* file : wanted) {
    const auto same = std::ranges::find(parcels, file->url, &Parcel::url);
    if (same != parcels.end())
      same->files.push_back(file);
    else
      parcels.push_back({file->url, {file}});
  }
  for (const Parcel& parcel : parcels)
    if (!parcel.archive() && parcel.files.size() > 1)
      fail(Fault::kInternal, fmt::format("dataset {}: two files from {}", entry.name, parcel.url));
  return parcels;
}

std::filesystem::path partial_of(const Parcel& parcel, const std::filesystem::path& directory) {
  const std::filesystem::path path = directory / parcel.files.front()->path;
  if (!parcel.archive()) return path.string() + ".partial";
  return path.parent_path() / (name_in(parcel.url) + ".partial");
}

/// The wanted members, in the order of the parcel's files.
std::vector<Bytes> unpack(const Parcel& parcel, const Bytes& archive) {
  std::vector<Bytes> contents(parcel.files.size());
  std::vector<bool> found(parcel.files.size());
  const auto offer = [&](const std::string& path, std::span<const std::uint8_t> content) {
    for (std::size_t i = 0; i < contents.size(); ++i) {
      if (path != parcel.files[i]->member) continue;
      contents[i].assign(content.begin(), content.end());
      found[i] = true;
    }
  };
  if (name_in(parcel.url).ends_with(".zip")) {
    for (const ZipFile& file : parse_zip(archive)) offer(file.path, file.content);
  } else {
    for (const TarFile& file : parse_tar(archive)) offer(file.path, file.content);
  }
  for (std::size_t i = 0; i < contents.size(); ++i)
    if (!found[i])
      fail(Fault::kData, fmt::format("there is no file {} in the archive", parcel.files[i]->member));
  return contents;
}

void expect_content(const DatasetFile& file, const Bytes& content) {
  const FileStatus status = check_content(file, content, file.path);
  if (status.state != FileState::kOk) fail(Fault::kData, status.detail);
}

bool is_gzipped(const std::filesystem::path& path) {
  std::array<std::uint8_t, 2> start{};
  std::ifstream(path, std::ios::binary).read(reinterpret_cast<char*>(start.data()), start.size());
  return looks_gzipped(start);
}

/// Puts the file where locate() looks, and a damaged one that lay there out of the way.
void put(const std::filesystem::path& path, bool gzipped, const std::filesystem::path& from) {
  const std::filesystem::path compressed = path.string() + ".gz";
  std::error_code code;
  std::filesystem::rename(from, gzipped ? compressed : path, code);
  if (code) fail(Fault::kIo, fmt::format("{}: cannot be put in place ({})", path.string(), code.message()));
  std::filesystem::remove(gzipped ? path : compressed, code);
}

void unpack_into(const Parcel& parcel, const std::filesystem::path& partial,
                 const std::filesystem::path& directory) {
  const std::vector<Bytes> contents = unpack(parcel, read_bytes(partial));
  for (std::size_t i = 0; i < contents.size(); ++i) expect_content(*parcel.files[i], contents[i]);
  for (std::size_t i = 0; i < contents.size(); ++i) {
    const std::filesystem::path path = directory / parcel.files[i]->path, whole = path.string() + ".whole";
    std::filesystem::create_directories(path.parent_path());
    write_atomically(whole, {reinterpret_cast<const char*>(contents[i].data()), contents[i].size()});
    put(path, false, whole);
  }
  std::filesystem::remove(partial);
}

/// Checks what was downloaded and puts it in place.
void accept(const Parcel& parcel, const std::filesystem::path& partial,
            const std::filesystem::path& directory) {
  if (parcel.archive()) return unpack_into(parcel, partial, directory);
  const DatasetFile& file = *parcel.files.front();
  expect_content(file, read_bytes(partial));
  put(directory / file.path, is_gzipped(partial), partial);
}

/// A partial file may be the beginning of what the server used to have: one that turns out wrong is fetched
/// once more from its beginning.
void fetch_parcel(const Parcel& parcel, const FetchOptions& options) {
  const std::filesystem::path partial = partial_of(parcel, options.directory);
  const Download what{.url = mirrored(parcel.url, options.mirror),
                      .partial = partial,
                      .label = name_in(parcel.url),
                      .stay_on_host = !options.mirror.empty()};
  for (bool resumed = std::filesystem::exists(partial);; resumed = false) {
    download(what);
    try {
      return accept(parcel, partial, options.directory);
    } catch (const Error& error) {
      if (error.fault() != Fault::kData) throw;
      std::filesystem::remove(partial);
      if (!resumed)
        fail(Fault::kData, fmt::format("{}: not the catalogued content ({}); nothing is kept of it", what.url,
                                       error.what()));
    }
  }
}

}  // namespace

std::string fetch_mirror(const std::string& from) {
  const char* given = std::getenv("EARSHOT_FETCH_MIRROR");
  std::string mirror = !from.empty() ? from : given != nullptr ? given : "";
  if (!mirror.empty()) check_url(mirror);
  return mirror;
}

std::string_view to_string(FetchOutcome outcome) {
  switch (outcome) {
    case FetchOutcome::kPresent:
      return "present";
    case FetchOutcome::kFetched:
      return "fetched";
    case FetchOutcome::kByHand:
      return "by hand";
  }
  return "unknown";
}

bool has_source(const DatasetEntry& entry) {
  return std::ranges::any_of(entry.files, [](const DatasetFile& file) { return !file.url.empty(); });
}

std::vector<FetchedFile> fetch(const DatasetEntry& entry, const FetchOptions& options) {
  std::vector<FetchedFile> answers;
  std::vector<const DatasetFile*> wanted;
  for (const FileStatus& status : verify(entry, options.directory)) {
    const bool good = is_good(status.state);
    const bool fetchable = !status.file->url.empty();
    answers.push_back({status.file, good        ? FetchOutcome::kPresent
                                    : fetchable ? FetchOutcome::kFetched
                                                : FetchOutcome::kByHand});
    if (!good && fetchable) wanted.push_back(status.file);
  }
  with_context(fmt::format("dataset {}", entry.name), [&] {
    for (const Parcel& parcel : parcels_of(entry, wanted)) fetch_parcel(parcel, options);
  });
  return answers;
}

}  // namespace earshot
