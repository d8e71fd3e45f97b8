// Largest matchings: as many disjoint pairs of neighbours as a graph has.
#pragma once

#include <cstddef>
#include <vector>

namespace earshot {

inline constexpr std::size_t kUnmatched = static_cast<std::size_t>(-1);

/// The partner of every node, or kUnmatched, in a matching with as many pairs as possible (Edmonds 1965,
/// O(n^3)). `neighbours` lists every edge at both ends.
std::vector<std::size_t> maximum_matching(const std::vector<std::vector<std::size_t>>& neighbours);

}  // namespace earshot
