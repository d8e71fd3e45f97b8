// What a coalition's leverage promises one node, with all its terms.
#pragma once

#include <string>

#include "earshot/accounting/network/gaussian_view.hpp"
#include "earshot/accounting/network/leverage.hpp"
#include "earshot/accounting/privacy_statement.hpp"

namespace earshot {

/// How far a node's contribution may move, the noise per coordinate, and the delta epsilon is stated at.
struct NoiseTerms {
  double sensitivity = 1;
  double sigma = 1;
  double delta = 1e-5;
};

/// The exact (epsilon, delta) of node u against the coalition of `scores`. Refuses members: a coalition knows
/// its own values.
PrivacyStatement pairwise_statement(const Graph& graph, const LeverageScores& scores, NodeId node,
                                    const NoiseTerms& terms);
/// The same for whichever non-member loses most.
PrivacyStatement worst_statement(const Graph& graph, const LeverageScores& scores, const NoiseTerms& terms);
/// The mean of the non-members' epsilons: a summary, and not a guarantee for anybody.
PrivacyStatement mean_statement(const Graph& graph, const LeverageScores& scores, const NoiseTerms& terms);

/// A participant's loss over several injections of noise; epsilon comes from the bound. Without guarantee
/// when the loss is infinite. `adversary` says what the coalition sees.
PrivacyStatement injections_statement(const SquaredLoss& loss, const std::string& adversary,
                                      const NoiseTerms& terms);

}  // namespace earshot
