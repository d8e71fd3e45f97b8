// Catalogued files from their official source, put in place only when their content is the catalogued one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "earshot/data/catalogue/catalogue.hpp"

namespace earshot {

struct FetchOptions {
  std::filesystem::path directory;
  /// A server to ask instead of the official ones: "https://" of a source is replaced by this URL and a
  /// slash, so https://host/path becomes MIRROR/host/path. Empty: the official sources.
  std::string mirror{};
};

/// --from if given, else $EARSHOT_FETCH_MIRROR, else none.
std::string fetch_mirror(const std::string& from);

enum class FetchOutcome { kPresent, kFetched, kByHand };
std::string_view to_string(FetchOutcome outcome);

struct FetchedFile {
  const DatasetFile* file = nullptr;
  FetchOutcome outcome = FetchOutcome::kByHand;
};

/// Whether any file of the dataset has a source.
bool has_source(const DatasetEntry& entry);

/// Fetches every file of the dataset that is missing or damaged and has a source; one answer per file. What
/// was downloaded of a file stays beside it as *.partial until it is whole, so that the next fetch goes on
/// from there; content with a wrong checksum is thrown away.
std::vector<FetchedFile> fetch(const DatasetEntry& entry, const FetchOptions& options);

}  // namespace earshot
