// How an attack on primal-dual messages is set.
#pragma once

#include <vector>

#include "earshot/attack/leak/primal_dual_leak.hpp"
#include "earshot/core/schema.hpp"

namespace earshot {

/// "form", "anchor", "exact_rule", "step_guess", "links", "leaks", "until".
std::vector<Parameter> primal_dual_parameters();
/// From those, where the recipe has them, and "round".
PrimalDualLeakOptions primal_dual_options(const Settings& recipe);

}  // namespace earshot
