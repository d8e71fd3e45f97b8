// The files of the user's own that a plan names: what is in them decides its results as much as its settings
// do.
#pragma once

#include "earshot/core/json.hpp"
#include "earshot/experiment/plan.hpp"
#include "earshot/graph/sources.hpp"

namespace earshot {

/// SHA-256 of every file a graph, weights, table or network is read from, by its name in the plan. Files that
/// cannot be read are left to preflight.
Json file_digests(const Plan& plan, const GraphSources& sources);

}  // namespace earshot
