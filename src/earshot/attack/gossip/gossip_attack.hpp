// Reconstructs the private values behind gossip averaging, and the local gradients behind decentralised
// descent.
#pragma once

#include <span>
#include <vector>

#include "earshot/attack/gossip/estimator.hpp"
#include "earshot/attack/gossip/exposure.hpp"
#include "earshot/attack/gossip/target_system.hpp"
#include "earshot/core/schema.hpp"
#include "earshot/threat/view.hpp"

namespace earshot {

/// An estimate for every target, row by row, with the attack's own account of how good it is.
struct LinearReconstruction {
  std::vector<NodeId> targets;
  RowMajorMatrix values;               // one row per target
  std::vector<bool> identified;        // decided exactly: is the row determined by what was heard?
  std::vector<double> standard_error;  // per unit of noise on the messages (gossip) or on the updates (D-GD)
};

/// Estimates the initial values x_v from the messages of gossip averaging (El Mrini et al. 2024,
/// section 4.2). `exposure` is the analysis of the same matrix and adversary over the view's rounds.
LinearReconstruction reconstruct_values(const View& view, const Exposure& exposure, EstimatorKind kind,
                                        double cut);

/// Estimates the local updates g_v = -eta grad L from the messages of D-GD (El Mrini et al. 2024, section 5).
/// Needs the common initial parameters; returns gradients, i.e. -g_v / eta.
LinearReconstruction reconstruct_gradients(const View& view, const Exposure& exposure, EstimatorKind kind,
                                           double cut);

/// Error amplification of every node for gossip over `rounds` rounds; members get 0.
std::vector<double> gossip_amplification(const GossipMatrix& matrix, const Adversary& adversary,
                                         std::size_t rounds);

/// `attack` components by name.
std::span<const Schema> attack_schemas();
/// "estimator", "cut".
std::vector<Parameter> estimator_parameters();
EstimatorKind estimator_kind(const std::string& name);

}  // namespace earshot
