// SCAFFOLD: federated averaging whose clients correct for being different from the others.
#pragma once

#include "earshot/protocol/protocol.hpp"

namespace earshot {

/// "scaffold" (Karimireddy et al. 2020, Algorithm 1): y <- y - rate (g(y) - c_i + c), and every client keeps
/// its control variate c_i from round to round.
const ProtocolComponent& scaffold_component();

}  // namespace earshot
