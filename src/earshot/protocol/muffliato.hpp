// Muffliato: a noisy step on every node, then several rounds of gossip that drown it in the others' noise.
#pragma once

#include "earshot/protocol/protocol.hpp"

namespace earshot {

/// "muffliato": on a given graph, plain or with Chebyshev acceleration.
const ProtocolComponent& muffliato_component();
/// "muffliato_random": on a fresh Erdos-Renyi graph in every round of training.
const ProtocolComponent& muffliato_random_component();

}  // namespace earshot
