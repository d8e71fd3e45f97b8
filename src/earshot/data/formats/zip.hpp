// Zip archives (PKWARE's APPNOTE, as used by .npz files): stored and deflated members, strictly checked.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "earshot/core/files.hpp"

namespace earshot {

/// The record that ends an archive: where its central directory lies.
struct ZipEnd {
  std::size_t position = 0;  // of the record itself
  std::uint16_t entries = 0;
  std::uint32_t size = 0;    // of the central directory
  std::uint32_t offset = 0;  // of the central directory
};
constexpr std::size_t kZipEndLength = 22;  // a comment may follow

/// Refuses multi-disk and zip64 archives. That the directory lies where the record says is not checked.
ZipEnd find_zip_end(std::span<const std::uint8_t> bytes);

struct ZipFile {
  std::string path;
  Bytes content;
};

/// The files in the order of the central directory; directories are checked and left out. The central
/// directory and the local headers must agree, members may not overlap, CRC-32 and sizes must hold, and the
/// contents together may not exceed `largest` bytes. Encrypted, multi-disk and zip64 archives, links, other
/// compression methods, unsafe paths and paths that come twice are refused.
std::vector<ZipFile> parse_zip(std::span<const std::uint8_t> bytes, std::size_t largest = kLargestInput);

}  // namespace earshot
