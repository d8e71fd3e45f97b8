// Fuzzes what is checked of a TorchScript file before libtorch sees it.
#include <cstdint>
#include <span>

#include "earshot/model/torch/script_file.hpp"
#include "fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  earshot::fuzzing::accept_or_refuse([&] { earshot::check_script_file({data, size}); });
  return 0;
}
