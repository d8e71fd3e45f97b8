// What a node has spent against one other participant, by the accountant of the topology it learns on.
#pragma once

#include <cstdint>
#include <optional>

#include "earshot/experiment/plan.hpp"
#include "earshot/protocol/protocol.hpp"

namespace earshot {

/// After so many rounds of training. Clients of a server: every release counts. Skip-Ring: a bound on how
/// often a node takes part, which fails with probability 1e-6. Muffliato on random graphs: the average over
/// pairs of nodes, no bound for any. None for other topologies, and unless a step releases one clipped vector
/// with Gaussian noise.
std::optional<double> topology_epsilon(const Cell& cell, Protocol& protocol, std::size_t parameters,
                                       std::uint64_t rounds);

}  // namespace earshot
