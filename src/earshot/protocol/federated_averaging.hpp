// Federated averaging and its relatives: clients train for a while, the server averages their models.
#pragma once

#include "earshot/protocol/protocol.hpp"

namespace earshot {

/// "fedavg" (McMahan et al. 2017), with momentum at the server (FedAvgM; Hsu, Qi & Brown 2019) and with
/// several models, one per cluster of clients (IFCA; Ghosh, Chung, Yin & Ramchandran 2020).
const ProtocolComponent& fedavg_component();
/// "fedprox": local losses get mu/2 ||w - w_t||^2 (Li et al. 2020).
const ProtocolComponent& fedprox_component();

}  // namespace earshot
