// Fuzzes the npy reader: the shape it reports is that of the numbers it returns.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "earshot/data/formats/npy.hpp"
#include "fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace earshot;
  fuzzing::accept_or_refuse([&] {
    const NpyArray array = parse_npy(std::span(data, size));
    std::size_t count = 1;
    for (const std::size_t dimension : array.shape) count *= dimension;
    if (count * array.width != array.data.size()) std::abort();
    const std::vector<double> numbers = npy_numbers(array);
    if (numbers.size() != count) std::abort();
    for (const double number : numbers) {
      if (!std::isfinite(number)) std::abort();
    }
  });
  return 0;
}
