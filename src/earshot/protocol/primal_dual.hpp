// Learning together by dual ascent: every node keeps its own optimum, and edges pull them together.
#pragma once

#include "earshot/protocol/protocol.hpp"

namespace earshot {

/// "pdmm": the primal-dual method of multipliers (Peaceman-Rachford splitting), theta = 1.
const ProtocolComponent& pdmm_component();
/// "admm": the same, averaged (Douglas-Rachford splitting), theta = 1/2.
const ProtocolComponent& admm_component();
/// "server_pdmm": PDMM on a star whose hub has no records (Zhang, Niwa & Kleijn 2022; FedSplit).
const ProtocolComponent& server_pdmm_component();

}  // namespace earshot
