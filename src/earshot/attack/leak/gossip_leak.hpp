// Gradients recovered from the messages of decentralised gradient descent: exactly where a node's step shows,
// by an estimate for all others, far away as they may be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "earshot/attack/gossip/estimator.hpp"
#include "earshot/attack/leak/leak.hpp"

namespace earshot {

struct GossipLeakOptions {
  EstimatorKind estimator = EstimatorKind::kLeastSquares;
  double cut = kTruncation;
  bool exact_steps = true;              // false: everybody's gradient is estimated, as published
  std::vector<std::uint64_t> rounds{};  // of training, from 1, whose exact steps are read; empty: the first
};

/// One leak for every node that is not a member. Where a step is exactly readable (gossip_step_leaks) it is
/// that; else reconstruct_gradients over all recorded rounds, and the gradient is taken for one at the common
/// start, as it nearly is while steps are small (El Mrini, Cyffers & Bellet 2024, section 5). The estimate
/// needs a recording from the first round on of plain D-GD: one local step on all records and one averaging a
/// round. Where it cannot be made, or rounds are named, exact steps are all there is. None when nobody is
/// heard.
std::vector<Leak> gossip_leaks(const View& view, std::size_t parameters, const GossipLeakOptions& options);

}  // namespace earshot
