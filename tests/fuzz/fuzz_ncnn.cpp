// Fuzzes the reader of ncnn weights: the text up to the first zero byte, the numbers behind it.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "earshot/model/ncnn_weights.hpp"
#include "fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace earshot;
  const std::span bytes(data, size);
  const auto cut = static_cast<std::size_t>(std::ranges::find(bytes, 0) - bytes.begin());
  const std::string_view text(reinterpret_cast<const char*>(data), cut);
  fuzzing::accept_or_refuse([&] {
    std::size_t used = 0;
    for (const NcnnConvolution& convolution : parse_ncnn(text, bytes.subspan(std::min(cut + 1, size)))) {
      for (const float weight : convolution.weights) {
        if (!std::isfinite(weight)) std::abort();
      }
      used += 4 + (convolution.weights.size() + 1) / 2 * 4 + convolution.biases.size() * 4;
    }
    if (cut + 1 + used != size) std::abort();
  });
  return 0;
}
