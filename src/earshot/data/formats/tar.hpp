// Tar archives (POSIX ustar, with the long names of GNU tar and pax): the regular files inside, as views.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace earshot {

struct TarFile {
  std::string path;
  std::span<const std::uint8_t> content;  // a part of the archive's bytes, which must outlive it
};

/// The regular files in the archive's order; directories are checked and left out. Every header's checksum
/// must hold, two empty blocks must end the archive, and nothing but zeros may follow. Links, devices, sparse
/// files, unsafe paths and paths that come twice are refused.
std::vector<TarFile> parse_tar(std::span<const std::uint8_t> bytes);

}  // namespace earshot
