// The results document: everything a run found, with no trace of when, where or on how many threads it was
// found.
#pragma once

#include <string>
#include <vector>

#include "earshot/core/json.hpp"
#include "earshot/experiment/plan.hpp"

namespace earshot {

inline constexpr int kResultsFormat = 1;

/// Pools the units ([cell][trial], as the runner returns them) into cells, curves and expectations
/// (docs/experiments.md describes the document). Fails if a curve or expectation names what no table has.
Json assemble_results(const Plan& plan, const std::vector<std::vector<Json>>& units,
                      const std::string& command);

/// Expectations of a results document with "met" false.
std::vector<std::string> missed_expectations(const Json& results);

}  // namespace earshot
