// Gradients recovered from the messages of decentralised gradient descent, of neighbours and of nodes far
// away.
#pragma once

#include <cstddef>
#include <vector>

#include "earshot/attack/gossip/estimator.hpp"
#include "earshot/attack/leak/leak.hpp"

namespace earshot {

struct GossipLeakOptions {
  EstimatorKind estimator = EstimatorKind::kLeastSquares;
  double cut = kTruncation;
};

/// One leak for every node that is not a member, by reconstruct_gradients over all recorded rounds; the
/// gradient is taken for one at the common start, as it nearly is while steps are small (El Mrini, Cyffers &
/// Bellet 2024, section 5). Needs a recording from the first round on of plain D-GD: one local step on all
/// records and one averaging a round. None when nobody is heard.
std::vector<Leak> gossip_leaks(const View& view, std::size_t parameters, const GossipLeakOptions& options);

}  // namespace earshot
