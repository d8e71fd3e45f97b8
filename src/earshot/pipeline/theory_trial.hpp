// A trial without a network: the theory of gradient leakage, checked on random instances.
#pragma once

#include "earshot/core/json.hpp"
#include "earshot/core/schema.hpp"
#include "earshot/pipeline/stage.hpp"

namespace earshot {

/// The `protocol` component of such a plan.
Schema theory_schema();

/// Whether the cell checks theorems; such a cell has no graph, no data and nobody to overhear.
bool checks_theory(const Cell& cell);

/// Tables "clones" (one row per statement), "right_inverses", "arrangements" and "batches" (one per number of
/// classes and records), "peeling" (one per depth and route). Every row says on how many instances statement
/// and brute force agree.
Json run_theory_trial(const Cell& cell, const TrialAddress& address);
TableColumns theory_columns();

}  // namespace earshot
