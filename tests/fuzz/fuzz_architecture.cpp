// A description of a network that is accepted can be placed and writes itself back.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "earshot/model/architecture.hpp"
#include "fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const earshot::Json json = earshot::Json::parse(data, data + size, nullptr, false);
  if (json.is_discarded()) return 0;
  earshot::fuzzing::accept_or_refuse([&] {
    const earshot::Architecture net = earshot::architecture_from_json(json);
    const earshot::Json written = earshot::to_json(net);
    if (earshot::to_json(earshot::architecture_from_json(written)) != written) std::abort();
    if (earshot::parameter_count(net) > (std::size_t{1} << 31)) std::abort();
  });
  return 0;
}
