// Any bytes are accepted or refused in one line, also when their checksum is right; what is accepted writes
// itself back.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "earshot/threat/view_file.hpp"
#include "fuzz_target.hpp"

namespace {

void read_and_write(std::span<const std::uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const earshot::StoredViews read = earshot::views_from_bytes(text, "fuzzed");
  const std::string written = earshot::views_to_bytes(*read.network, *read.recorder);
  const earshot::StoredViews again = earshot::views_from_bytes(written, "written");
  if (earshot::views_to_bytes(*again.network, *again.recorder) != written) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::uint8_t> bytes(data, size);
  earshot::fuzzing::accept_or_refuse([&] { read_and_write(bytes); });
  earshot::fuzzing::accept_or_refuse([&] { read_and_write(earshot::fuzzing::sealed_again(bytes)); });
  return 0;
}
