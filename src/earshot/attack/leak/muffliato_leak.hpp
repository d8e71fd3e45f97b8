// What gossip with several averagings a round shows of a node's own step: what it said at its beginning,
// against the average it made at the end of the round before.
#pragma once

#include <cstddef>
#include <vector>

#include "earshot/attack/leak/leak.hpp"
#include "earshot/attack/leak/step_choice.hpp"

namespace earshot {

/// One leak for every node of whose step the view shows both sides: what its neighbours and itself said in
/// the last averaging before the round (in round 1 the common start), from which its own state follows by the
/// public weights, and what it said first in the round. Their difference over the learning rate is its
/// clipped and noised gradient. Needs one local step, plain averaging, and the weights: those of a fixed
/// graph, or of graphs that are told round by round ("graphs"). Protocols muffliato and muffliato_random.
std::vector<Leak> muffliato_leaks(const View& view, std::size_t parameters, const StepChoice& choice);

}  // namespace earshot
