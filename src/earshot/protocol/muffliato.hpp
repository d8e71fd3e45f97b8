// Muffliato: a noisy step on every node, then several rounds of gossip that drown it in the others' noise.
#pragma once

#include <optional>

#include "earshot/accounting/topology_accounting.hpp"
#include "earshot/protocol/protocol.hpp"

namespace earshot {

/// "muffliato": on a given graph, plain or with Chebyshev acceleration.
const ProtocolComponent& muffliato_component();
/// "muffliato_random": on a fresh Erdos-Renyi graph in every round of training.
const ProtocolComponent& muffliato_random_component();

/// What the whole run of "muffliato_random" releases. None unless a step releases one clipped vector with
/// Gaussian noise.
std::optional<RandomGossip> planned_gossip(const Settings& settings, const Protection& protection,
                                           std::size_t nodes, std::size_t parameters);

}  // namespace earshot
