// Random parts of a labelled set that keep the classes' shares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "earshot/core/random.hpp"

namespace earshot {

/// `count` of the indices 0 … labels.size() - 1 in increasing order. Each class gets its share of the count,
/// rounded so that all add up (largest remainders, the lower class first among equals); which of its members
/// are taken is drawn without replacement from the stream named by `name` with the class as node.
std::vector<std::size_t> stratified_sample(std::span<const std::uint8_t> labels, std::size_t count,
                                           StreamName name);

/// The indices below `size` that are not in `chosen` (increasing), in increasing order.
std::vector<std::size_t> complement(std::span<const std::size_t> chosen, std::size_t size);

}  // namespace earshot
