// The masks of dropout, the same in every engine.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace earshot {

/// What row `row` of a batch is multiplied by at the output of the layer of that name (PlacedLayer::name): 0
/// with probability `rate`, otherwise 1 / (1 - rate). A pure function of its arguments.
void dropout_mask(std::uint64_t seed, std::string_view layer, std::uint64_t row, double rate,
                  std::span<double> mask);

}  // namespace earshot
