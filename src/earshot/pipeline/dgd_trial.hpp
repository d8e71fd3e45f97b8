// A trial of decentralised gradient descent: train, overhear, reconstruct gradients, invert them, score.
#pragma once

#include "earshot/core/json.hpp"
#include "earshot/pipeline/images.hpp"
#include "earshot/pipeline/stage.hpp"

namespace earshot {

Json run_dgd_trial(const Cell& cell, const TrialAddress& address, const Stage& stage,
                   const LoadedImages& images);

std::vector<std::string> training_columns();

}  // namespace earshot
