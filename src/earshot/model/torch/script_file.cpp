#include "earshot/model/torch/script_file.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/files.hpp"
#include "earshot/data/formats/little_endian.hpp"
#include "earshot/data/formats/zip.hpp"

namespace earshot {
namespace {

using Span = std::span<const std::uint8_t>;

constexpr std::uint32_t kWideEndSignature = 0x06064b50;
constexpr std::uint32_t kLocatorSignature = 0x07064b50;
constexpr std::size_t kWideEndLength = 56;
constexpr std::size_t kLocatorLength = 20;

[[noreturn]] void refuse_end() {
  fail(Fault::kData, "the archive's end is damaged, or it is not one PyTorch wrote");
}

bool starts(Span bytes, std::size_t offset, std::uint32_t signature) {
  return little_endian<std::uint32_t>(bytes, offset) == signature;
}

/// Whether the wide record says what the plain one says. libtorch reads the wide one: if they could differ,
/// it would see another archive than the one that was checked.
bool agree(Span wide, Span locator, const ZipEnd& plain, std::size_t wide_offset) {
  return little_endian<std::uint64_t>(wide, 4) == kWideEndLength - 12 &&
         little_endian<std::uint32_t>(wide, 16) == 0 && little_endian<std::uint32_t>(wide, 20) == 0 &&
         little_endian<std::uint64_t>(wide, 24) == plain.entries &&
         little_endian<std::uint64_t>(wide, 32) == plain.entries &&
         little_endian<std::uint64_t>(wide, 40) == plain.size &&
         little_endian<std::uint64_t>(wide, 48) == plain.offset &&
         little_endian<std::uint64_t>(locator, 8) == wide_offset;
}

/// PyTorch writes the record that ends an archive twice, in zip64's wide form and in the plain one. Gives the
/// archive with the plain one only.
Bytes without_wide_end(Span bytes) {
  const ZipEnd plain_end = with_context("no TorchScript file", [&] { return find_zip_end(bytes); });
  const std::size_t end = plain_end.position;
  if (bytes.size() != end + kZipEndLength) {
    fail(Fault::kData,
         "no TorchScript file: the zip archive ends with a comment, in which a second end could hide");
  }
  if (end < kLocatorLength || !starts(bytes, end - kLocatorLength, kLocatorSignature))
    return Bytes(bytes.begin(), bytes.end());
  if (end < kLocatorLength + kWideEndLength) refuse_end();
  const std::size_t start = end - kLocatorLength - kWideEndLength;
  if (!starts(bytes, start, kWideEndSignature) ||
      !agree(bytes.subspan(start, kWideEndLength), bytes.subspan(end - kLocatorLength, kLocatorLength),
             plain_end, start))
    refuse_end();
  Bytes plain(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(start));
  plain.insert(plain.end(), bytes.begin() + static_cast<std::ptrdiff_t>(end), bytes.end());
  return plain;
}

bool holds(const std::vector<ZipFile>& files, std::string_view path) {
  return std::ranges::any_of(files, [&](const ZipFile& file) { return file.path == path; });
}

std::string archive_root(const std::vector<ZipFile>& files) {
  if (files.empty()) fail(Fault::kData, "the archive is empty");
  const std::string& first = files.front().path;
  return first.substr(0, first.find('/') + 1);
}

void check_members(const std::vector<ZipFile>& files) {
  const std::string root = archive_root(files);
  for (const ZipFile& file : files) {
    if (root.empty() || !file.path.starts_with(root))
      fail(Fault::kData, "a zip archive, but not one PyTorch wrote: its members do not share one folder");
  }
  if (!holds(files, root + "data.pkl"))
    fail(Fault::kData, "a zip archive, but not one PyTorch wrote: it has no data.pkl");
  if (!holds(files, root + "constants.pkl")) {
    fail(
        Fault::kData,
        "a PyTorch checkpoint without code; save the module with torch.jit.script(model).save(path) instead");
  }
}

/// Every member is searched, whatever its name: libtorch finds members by names in any case. A pickle names a
/// class in two lines, which count as joined by a dot.
void check_loads_without_running(const ZipFile& file) {
  std::string text(file.content.begin(), file.content.end());
  std::ranges::replace(text, '\n', '.');
  if (text.find("__setstate__") != std::string::npos) {
    fail(Fault::kData,
         "the module has a class with __setstate__, which would run while the file is being read; "
         "give it plain attributes");
  }
  if (text.find("torch.classes") != std::string::npos) {
    fail(Fault::kData,
         "the module uses C++ classes (torch.classes), as quantised modules do; only plain tensors "
         "are supported");
  }
}

}  // namespace

void check_script_file(std::span<const std::uint8_t> bytes) {
  const std::vector<ZipFile> files = parse_zip(without_wide_end(bytes));
  check_members(files);
  for (const ZipFile& file : files) check_loads_without_running(file);
}

}  // namespace earshot
