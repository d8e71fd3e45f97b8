// What gossip shows of a node's own step: the average it had before, against what it said after. Exact, where
// all that went into the average was heard.
#pragma once

#include <cstddef>
#include <vector>

#include "earshot/attack/leak/leak.hpp"
#include "earshot/attack/leak/step_choice.hpp"

namespace earshot {

/// One leak for every node of whose step the view shows both sides: what its neighbours and itself said in
/// the last averaging before the step, from which its own state follows by the public weights, and what it
/// said first after it. In round 1 the common start stands for the average. The difference over the learning
/// rate is the node's clipped and noised gradient, at the average it moved from; where nodes average before
/// they move (D-PSGD), at what it said when the round began. Needs one local step, plain averaging, and the
/// weights: those of a fixed graph, or of graphs that are told round by round ("graphs"). Protocols dgd,
/// d_psgd, muffliato and muffliato_random.
std::vector<Leak> gossip_step_leaks(const View& view, std::size_t parameters, const StepChoice& choice);

}  // namespace earshot
