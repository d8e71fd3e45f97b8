// How an attack on primal-dual messages is set.
#pragma once

#include <vector>

#include "earshot/attack/leak/primal_dual_leak.hpp"
#include "earshot/core/schema.hpp"

namespace earshot {

/// "form", "anchor", "exact_rule", "step_guess", "fit_step", "links", "leaks", "together", "until".
std::vector<Parameter> primal_dual_parameters();
/// From those, where the recipe has them, "round" and "victims". `architecture` is null where the layers are
/// not known.
PrimalDualLeakOptions primal_dual_options(const Settings& recipe, const Architecture* architecture);

}  // namespace earshot
