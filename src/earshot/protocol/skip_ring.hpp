// Skip-Ring: one model travels from node to node, and whoever is too slow is skipped.
#pragma once

#include <cstdint>
#include <optional>

#include "earshot/accounting/topology_accounting.hpp"
#include "earshot/protocol/protocol.hpp"

namespace earshot {

/// "skip_ring" (Yakimenka et al. 2022); with order "random" Skip-Rand-Ring.
const ProtocolComponent& skip_ring_component();

/// What is known before the run: how many visits it makes at most, and with which noise. None unless a visit
/// releases one clipped vector with Gaussian noise, which is what the theorem is about.
std::optional<SkipRing> planned_ring(const Settings& settings, const Protection& protection,
                                     std::size_t nodes, std::size_t parameters);

}  // namespace earshot
