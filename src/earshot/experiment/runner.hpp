// Running a plan: every (cell, trial) once, in parallel, stored as it finishes, skipped when it is stored
// already.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "earshot/core/json.hpp"
#include "earshot/experiment/plan.hpp"
#include "earshot/experiment/store.hpp"

namespace earshot {

/// Computes one trial of one cell: {"tables": {name: {"columns": [...], "rows": [[...], ...]}}, ...}. Must
/// depend on nothing but its arguments and the plan's seed. Called from several threads at once.
using UnitFunction = std::function<Json(const Cell& cell, std::size_t trial)>;

struct RunOutcome {
  std::vector<std::vector<Json>> units;  // [cell][trial]
  std::size_t computed = 0;
  std::size_t reused = 0;   // found in the store
  double unit_seconds = 0;  // computing time of all units, the reused ones included
};

/// With a null store nothing is kept. Ctrl-C ends with Error(kInterrupted) once running units are stored; an
/// error of a unit is rethrown with its cell and trial in front.
RunOutcome execute(const Plan& plan, RunStore* store, const UnitFunction& unit);

}  // namespace earshot
