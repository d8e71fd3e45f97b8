// Fuzzes the reader of idx tables of whole numbers.
#include <cstdint>
#include <cstdlib>
#include <span>

#include "earshot/data/formats/idx.hpp"
#include "fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace earshot;
  fuzzing::accept_or_refuse([&] {
    const IdxTable table = parse_idx_table(std::span(data, size));
    if (table.values.size() != table.rows * table.columns || 4 * table.values.size() + 12 != size)
      std::abort();
  });
  return 0;
}
