// How fast gossip forgets: eigenvalues of W, mixing time; and hop distances.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "earshot/graph/gossip_matrix.hpp"
#include "earshot/graph/graph.hpp"

namespace earshot {

/// The second-largest absolute eigenvalue of W (dense for small, Spectra for large graphs; W may be
/// non-symmetric).
double second_eigenvalue_modulus(const GossipMatrix& matrix);
/// 1 - second_eigenvalue_modulus.
double spectral_gap(const GossipMatrix& matrix);
/// Rounds after which the disagreement has shrunk by `factor`: ceil(log(factor) / log(lambda)); none if W
/// does not mix.
std::optional<std::size_t> mixing_time(const GossipMatrix& matrix, double factor = 1e-3);

/// Hops from `source` to every node; unreachable nodes have no value.
std::vector<std::optional<std::size_t>> hop_distances(const Graph& graph, NodeId source);
bool is_connected(const Graph& graph);
/// Longest shortest path; none for a disconnected or empty graph.
std::optional<std::size_t> diameter(const Graph& graph);
/// Node ids of each component, largest first (ties: the one with the smallest node first).
std::vector<std::vector<NodeId>> connected_components(const Graph& graph);
Graph induced_subgraph(const Graph& graph, std::vector<NodeId> nodes);

}  // namespace earshot
