// Files: read whole with a bound, written whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace earshot {

using Bytes = std::vector<std::uint8_t>;

/// No input file we know comes near this; a gzip bomb does.
inline constexpr std::size_t kLargestInput = std::size_t{2} << 30;

/// The file's bytes, decompressed if they start with the gzip magic. Errors name the path.
Bytes read_bytes(const std::filesystem::path& path, std::size_t largest = kLargestInput);
std::string read_text(const std::filesystem::path& path, std::size_t largest = kLargestInput);

/// Decompresses a whole gzip stream (all members); refuses truncated or damaged input and more than `largest`
/// bytes.
Bytes gunzip(std::span<const std::uint8_t> compressed, std::size_t largest = kLargestInput);
bool looks_gzipped(std::span<const std::uint8_t> bytes);

/// Writes a temporary file beside `path`, flushes it to disk and renames it: readers see the old file or the
/// new one.
void write_atomically(const std::filesystem::path& path, std::string_view content);

/// Lower-case hex.
std::string sha256(std::span<const std::uint8_t> bytes);
std::string base64(std::span<const std::uint8_t> bytes);
/// Refuses anything base64() would not have written.
Bytes unbase64(std::string_view text);

}  // namespace earshot
