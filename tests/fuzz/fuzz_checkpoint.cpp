// Any bytes are accepted or refused in one line, also when their checksum is right; what is accepted writes
// itself back.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "earshot/model/checkpoint.hpp"
#include "fuzz_target.hpp"

namespace {

void read_and_write(std::span<const std::uint8_t> bytes) {
  const std::string written = earshot::to_bytes(earshot::parse_checkpoint(bytes));
  const auto again =
      earshot::parse_checkpoint({reinterpret_cast<const std::uint8_t*>(written.data()), written.size()});
  if (earshot::to_bytes(again) != written) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::uint8_t> bytes(data, size);
  earshot::fuzzing::accept_or_refuse([&] { read_and_write(bytes); });
  const earshot::Bytes signed_again = earshot::fuzzing::sealed_again(bytes);
  earshot::fuzzing::accept_or_refuse([&] { read_and_write(signed_again); });
  return 0;
}
