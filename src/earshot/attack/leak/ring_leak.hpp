// What a model that travels on a ring shows of those it visits: it is seen before a visit and after.
#pragma once

#include <cstddef>
#include <vector>

#include "earshot/attack/leak/leak.hpp"
#include "earshot/attack/leak/step_choice.hpp"

namespace earshot {

/// One leak for every turn whose token is in the view both on its way in, or as the common start, and on its
/// way out: the clipped and noised gradient, (before - after) / (zeta / sqrt(c)) for the c-th update. Where
/// the model had to be put back into its ball, the part of that along the model is lost. Nodes that were
/// skipped show nothing. Protocol skip_ring.
std::vector<Leak> ring_leaks(const View& view, std::size_t parameters, const StepChoice& choice);

}  // namespace earshot
