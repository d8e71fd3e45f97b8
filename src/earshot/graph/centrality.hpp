// Node centralities: degree, eigenvector, betweenness.
#pragma once

#include <vector>

#include "earshot/graph/graph.hpp"

namespace earshot {

/// deg(v) / (n - 1).
std::vector<double> degree_centrality(const Graph& graph);
/// Perron vector of the adjacency matrix, unit Euclidean norm: the limit of power iteration on A + I from
/// equal values, also for a disconnected graph.
std::vector<double> eigenvector_centrality(const Graph& graph);
/// Exact betweenness (Brandes 2001), unweighted, divided by (n-1)(n-2)/2.
std::vector<double> betweenness_centrality(const Graph& graph);

}  // namespace earshot
