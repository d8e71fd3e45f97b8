#include "earshot/data/formats/archive_paths.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/data/formats/plain_text.hpp"

namespace earshot {
namespace {

constexpr std::size_t kLongestPath = 1024;

[[noreturn]] void refuse(std::string_view path, std::string_view why) {
  fail(Fault::kData, fmt::format("archive member {} {}", in_quotes(path), why));
}

bool is_plain(char c) {
  return c >= 0x20 && c <= 0x7e && c != '\\';
}

void check_part(std::string_view path, std::string_view part) {
  if (part.empty()) refuse(path, "has an empty part in its path");
  if (part == "." || part == "..") refuse(path, "has a part in its path that is \".\" or \"..\"");
}

void check_parts(std::string_view path) {
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find('/', start), path.size());
    check_part(path, path.substr(start, end - start));
    start = end + 1;
  }
}

std::string_view without_dot(std::string_view path) {
  while (path.starts_with("./")) path.remove_prefix(2);
  return path;
}

std::string safe_path(std::string_view raw) {
  const std::string_view path = without_dot(raw);
  if (path.empty()) refuse(raw, "has no name");
  if (path.size() > kLongestPath) refuse(raw, fmt::format("has a path of more than {} bytes", kLongestPath));
  if (!std::ranges::all_of(path, is_plain))
    refuse(raw, "has a character in its path that is a backslash or not printable ASCII");
  if (path.front() == '/') refuse(raw, "has an absolute path");
  check_parts(path);
  return std::string(path);
}

}  // namespace

void ArchivePaths::check_parents(const std::string& path) const {
  for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    if (files_.contains(std::string_view(path).substr(0, slash))) refuse(path, "lies below a file");
  }
}

std::string ArchivePaths::add_file(std::string_view raw) {
  std::string path = safe_path(raw);
  check_parents(path);
  const auto below = files_.lower_bound(path + '/');
  if (directories_.contains(path) || (below != files_.end() && below->starts_with(path + '/')))
    refuse(path, "is a file and a directory");
  if (!files_.insert(path).second) refuse(path, "comes twice");
  return path;
}

void ArchivePaths::add_directory(std::string_view raw) {
  std::string_view trimmed = raw;
  if (trimmed.ends_with('/')) trimmed.remove_suffix(1);
  if (trimmed == ".") return;
  const std::string path = safe_path(trimmed);
  check_parents(path);
  if (files_.contains(path)) refuse(path, "is a file and a directory");
  directories_.insert(path);
}

}  // namespace earshot
