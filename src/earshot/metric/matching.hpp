// The cheapest way to pair rows with columns.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace earshot {

struct Assignment {
  std::vector<std::optional<std::size_t>> column_of;  // by row; empty for rows left over
  double cost = 0;                                    // sum over the pairs
};

/// Pairs min(rows, columns) rows and columns, each used at most once, at the least total cost: the linear
/// assignment problem (Kuhn 1955, "The Hungarian method for the assignment problem"), by shortest augmenting
/// paths (Jonker & Volgenant 1987), O(min² · max) steps. `cost` holds the rows one after another; costs are
/// finite and may be negative. Of several cheapest matchings the same one is found every time.
Assignment optimal_matching(std::span<const double> cost, std::size_t rows, std::size_t columns);

}  // namespace earshot
