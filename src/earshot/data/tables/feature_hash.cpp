#include "earshot/data/tables/feature_hash.hpp"

#include <bit>
#include <cstdlib>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

constexpr std::uint32_t byte_at(std::string_view bytes, std::size_t i) {
  return static_cast<unsigned char>(bytes[i]);
}

std::uint32_t scramble(std::uint32_t block) {
  return std::rotl(block * 0xcc9e2d51U, 15) * 0x1b873593U;
}

/// Up to four bytes, the first one lowest.
std::uint32_t little_endian(std::string_view bytes) {
  std::uint32_t word = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) word = word << 8 | byte_at(bytes, i);
  return word;
}

std::uint32_t finish(std::uint32_t hash) {
  hash = (hash ^ hash >> 16) * 0x85ebca6bU;
  hash = (hash ^ hash >> 13) * 0xc2b2ae35U;
  return hash ^ hash >> 16;
}

}  // namespace

std::uint32_t murmur3_32(std::string_view bytes, std::uint32_t seed) {
  std::uint32_t hash = seed;
  std::string_view rest = bytes;
  for (; rest.size() >= 4; rest.remove_prefix(4))
    hash = std::rotl(hash ^ scramble(little_endian(rest.substr(0, 4))), 13) * 5 + 0xe6546b64U;
  hash ^= scramble(little_endian(rest));
  return finish(hash ^ static_cast<std::uint32_t>(bytes.size()));
}

HashedToken hash_token(std::string_view token, std::size_t width, bool alternate_sign) {
  if (width == 0) fail(Fault::kConfig, "hashing needs a width of at least 1");
  // Wider than the hash, because |-2^31| does not fit into it.
  const std::int64_t hash = static_cast<std::int32_t>(murmur3_32(token));
  return {static_cast<std::size_t>(std::abs(hash)) % width, alternate_sign && hash < 0 ? -1.0 : 1.0};
}

}  // namespace earshot
