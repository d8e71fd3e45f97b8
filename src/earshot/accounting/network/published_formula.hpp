// The pairwise privacy losses of Muffliato as published. They are not upper bounds: see
// docs/network-privacy.md.
#pragma once

#include <cstddef>
#include <vector>

#include "earshot/graph/gossip_matrix.hpp"

namespace earshot {

/// By node u, for observer v and messages of rounds 0 ... rounds - 1, in units of alpha Delta^2 / (2
/// sigma^2):
///   sum_t sum_{w in N(v)} (W^t)_{wu}^2 / |(W^t)_w|^2
/// (Cyffers, Even, Bellet & Massoulie 2022, Theorem 3). The terms are the losses of the single messages to
/// somebody who knows no noise; adding them up supposes that their noises are independent, but all of them
/// mix the same noise, and the observer knows its own. The observer's own entry is 0.
std::vector<double> muffliato_pairwise_as_published(const GossipMatrix& matrix, NodeId observer,
                                                    std::size_t rounds);

/// The same after each number of rounds 1, 2, ..., `rounds`.
std::vector<std::vector<double>> muffliato_pairwise_curve_as_published(const GossipMatrix& matrix,
                                                                       NodeId observer, std::size_t rounds);

/// By node u, for observer v on one random graph that gossips for `gossip_rounds`, in the same units:
///   min(2 T_g d_v / (n - d_v), 1), and 1 for neighbours of v
/// (Cyffers et al. 2022, Theorem 4 for Erdos-Renyi graphs, in the form their experiments evaluate it). The
/// observer's own entry is 0.
std::vector<double> muffliato_random_graph_as_published(const Graph& graph, NodeId observer,
                                                        std::size_t gossip_rounds);

}  // namespace earshot
