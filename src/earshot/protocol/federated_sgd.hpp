// Federated SGD: clients send gradients, the server makes the steps.
#pragma once

#include "earshot/protocol/protocol.hpp"

namespace earshot {

/// "fedsgd": w <- w - rate sum_i p_i g_i (McMahan et al. 2017); plain gradients, or the first one in secret
/// and then differences only.
const ProtocolComponent& fedsgd_component();

}  // namespace earshot
