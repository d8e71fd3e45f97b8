// Where to draw each node of a network.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace earshot {

/// Positions in the unit square. Starts from Pivot MDS (Brandes & Pich 2007, "Eigensolver methods for
/// progressive multidimensional scaling of large data"), the two main axes of the graph distances to a few
/// dozen pivots, and relaxes it by force-directed placement (Fruchterman & Reingold 1991), fewer steps the
/// larger the graph. The same graph always gets the same drawing. Edges must name nodes below `node_count`.
std::vector<std::pair<double, double>> node_places(
    std::size_t node_count, std::span<const std::pair<std::size_t, std::size_t>> edges);

}  // namespace earshot
