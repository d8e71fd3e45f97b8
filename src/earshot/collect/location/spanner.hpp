// Few pairs of places along which constraints imply those of all pairs.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "earshot/collect/location/channel.hpp"

namespace earshot {

using PlacePair = std::pair<std::size_t, std::size_t>;

/// Edges such that between any two places some path of edges is no longer than `dilation` >= 1 times their
/// distance: the greedy spanner (Althoefer, Das, Dobkin, Joseph & Soares 1993). Pairs are looked at by
/// growing distance and become an edge if the edges so far do not connect them well enough. `metric` must be
/// symmetric.
std::vector<PlacePair> greedy_spanner(const Distances& metric, double dilation);

/// The largest ratio of the way along the edges to the distance, over all pairs: at most the dilation asked
/// for.
double spanner_dilation(const Distances& metric, const std::vector<PlacePair>& edges);

}  // namespace earshot
