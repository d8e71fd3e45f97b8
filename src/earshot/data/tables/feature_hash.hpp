// Feature hashing: a token becomes one signed unit at a position that a hash of its text names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace earshot {

/// MurmurHash3, the 32-bit variant for x86 (Appleby 2011).
std::uint32_t murmur3_32(std::string_view bytes, std::uint32_t seed = 0);

struct HashedToken {
  std::size_t position = 0;
  double sign = 1;
};

/// The hashing trick (Weinberger et al. 2009) with the conventions of scikit-learn's FeatureHasher: with the
/// hash h read as a signed number, the position is |h| mod width, and the sign that of h if signs alternate.
HashedToken hash_token(std::string_view token, std::size_t width, bool alternate_sign);

}  // namespace earshot
