// What the nodes of a trial let others see, as a ledger, and what that promises.
#pragma once

#include <span>
#include <vector>

#include "earshot/accounting/ledger.hpp"
#include "earshot/core/schema.hpp"
#include "earshot/graph/graph.hpp"
#include "earshot/mechanism/mechanism.hpp"
#include "earshot/training/learner.hpp"

namespace earshot {

/// `releases[node][round]` as issued by the mechanism. Local differential privacy: the observer is whoever
/// hears everything.
Ledger record_releases(const Graph& graph, const MechanismTerms& terms,
                       const std::vector<std::vector<ReleasePointer>>& releases);

/// All releases of these nodes, node by node.
Ledger joint_ledger(std::span<Learner* const> learners);

/// The promise to the worst node: by the releases in the ledger at the "delta" of the mechanism's settings,
/// or pure when the mechanism has none.
PrivacyStatement recorded_statement(const Ledger& ledger, const VectorMechanism& mechanism,
                                    const Settings& settings);

}  // namespace earshot
