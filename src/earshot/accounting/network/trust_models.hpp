// Who sees what of repeated noisy contributions: the views of the local, pairwise-network and secret-sharing
// trust models.
#pragma once

#include <span>
#include <vector>

#include "earshot/accounting/network/gaussian_view.hpp"
#include "earshot/graph/gossip_matrix.hpp"
#include "earshot/threat/adversary.hpp"

namespace earshot {

/// A view whose contributions are those of `participants`, one column per (step, participant).
struct ParticipantView {
  GaussianView view;
  std::vector<NodeId> participants;  // sorted: everyone the coalition does not already know
  std::size_t steps = 0;

  /// Column of a contribution; refuses members and steps that do not exist.
  std::size_t column(std::size_t step, NodeId node) const;
  /// Columns of a participant who contributes at steps first, first + period, ...; period 1: at all of them.
  std::vector<std::size_t> participation(NodeId node, std::size_t first = 0, std::size_t period = 1) const;
};

/// Local: everybody sees every noisy release. `mixing` (steps x noises) turns independent noises into those
/// of the steps; the identity, one fresh noise per step, makes H the identity.
ParticipantView local_view(const Eigen::MatrixXd& mixing);

/// D-GD or Muffliato with fresh noise: in every step each node adds its contribution and unit noise to its
/// parameters, then speaks and mixes for `gossip_rounds` rounds.
struct InjectionPlan {
  std::size_t steps = 1;
  std::size_t gossip_rounds = 1;
};
/// Pairwise network: what the coalition hears, its own influence removed. `matrices` holds one matrix for all
/// steps or one per step, known to the coalition.
ParticipantView network_view(std::span<const GossipMatrix> matrices, const Adversary& adversary,
                             const InjectionPlan& plan);

/// Deviations of the noises in units of sigma.
struct SecretNoise {
  double local = 1;     // added by each node alone
  double pairwise = 1;  // shared secret of two neighbours, added by one and subtracted by the other
};
/// Secret sharing (DECOR: Allouah, Koloskova, El Firdoussi, Jaggi & Guerraoui 2024): everybody sees every
/// release, but not the secrets two non-members share; members know theirs, which therefore hide nothing.
ParticipantView secret_sharing_view(const Graph& graph, const Adversary& adversary, const SecretNoise& noise,
                                    std::size_t steps);

}  // namespace earshot
