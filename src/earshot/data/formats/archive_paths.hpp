// Names of members of an archive: what a tar or zip file may call its content without reaching outside it.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace earshot {

/// Collects the members' paths in order and refuses what is unsafe to unpack or ambiguous.
class ArchivePaths {
 public:
  /// The path without leading "./". Refused: paths that are empty, absolute or over-long, that hold anything
  /// but printable ASCII, a backslash, or a part that is empty, "." or "..", that came before, or that would
  /// need the same name to be a file and a directory.
  std::string add_file(std::string_view raw);
  /// A directory may come more than once and end in "/"; "./" alone is the archive's own root.
  void add_directory(std::string_view raw);

 private:
  void check_parents(const std::string& path) const;

  std::set<std::string, std::less<>> files_;
  std::set<std::string, std::less<>> directories_;
};

}  // namespace earshot
