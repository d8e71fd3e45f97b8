// Fuzzes `--set key=value`: any text is an override or is refused.
#include <cstdint>
#include <string_view>

#include "earshot/experiment/override.hpp"
#include "fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  earshot::fuzzing::accept_or_refuse([&] {
    earshot::parse_override({reinterpret_cast<const char*>(data), size});
  });
  return 0;
}
