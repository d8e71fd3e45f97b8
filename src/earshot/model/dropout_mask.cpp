#include "earshot/model/dropout_mask.hpp"

#include "earshot/core/random.hpp"

namespace earshot {
namespace {

/// FNV-1a: the layer's part of the stream's address.
std::uint64_t hash(std::string_view text) {
  std::uint64_t value = 0xcbf29ce484222325U;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return value;
}

}  // namespace

void dropout_mask(std::uint64_t seed, std::string_view layer, std::uint64_t row, double rate,
                  std::span<double> mask) {
  Stream stream({seed, Purpose::kDropout, 0, hash(layer), row});
  const double kept = 1 / (1 - rate);
  for (double& value : mask) value = stream.uniform() < rate ? 0 : kept;
}

}  // namespace earshot
