// A trial of gossip averaging: what the structure gives away and, when data is at stake, what an attack
// recovers.
#pragma once

#include "earshot/core/json.hpp"
#include "earshot/pipeline/images.hpp"
#include "earshot/pipeline/stage.hpp"

namespace earshot {

/// `images` may be null: then only the exposure is analysed, before any data exists.
Json run_gossip_trial(const Cell& cell, const TrialAddress& address, const Stage& stage,
                      const LoadedImages* images);

}  // namespace earshot
