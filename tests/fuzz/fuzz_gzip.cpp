// Fuzzes gzip decompression: damaged, truncated, concatenated and exploding streams.
#include <cstdint>
#include <cstdlib>
#include <span>

#include "earshot/core/files.hpp"
#include "fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kLargest = 1 << 16;
  earshot::fuzzing::accept_or_refuse([&] {
    if (earshot::gunzip(std::span(data, size), kLargest).size() > kLargest) std::abort();
  });
  return 0;
}
