// Fuzzes the reader of distance matrices: what it accepts as a metric must obey the triangle inequality.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "earshot/collect/campaign/place_domain.hpp"
#include "fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  earshot::fuzzing::accept_or_refuse([&] {
    earshot::LineStream lines(earshot::TextFile{{reinterpret_cast<const char*>(data), size}, "fuzz"});
    const earshot::Distances metric = earshot::checked_metric(earshot::read_distance_matrix(lines));
    for (std::size_t x = 0; x < metric.inputs; ++x)
      for (std::size_t y = 0; y < metric.inputs; ++y)
        for (std::size_t z = 0; z < metric.inputs; ++z)
          if (metric(x, y) > (metric(x, z) + metric(z, y)) * (1 + 1e-9)) std::abort();
  });
  return 0;
}
