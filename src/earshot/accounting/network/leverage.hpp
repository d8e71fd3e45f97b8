// The exact privacy loss of gossip after one noise injection: the leverage of a node in what a coalition
// knows.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "earshot/accounting/network/exact_knowledge.hpp"
#include "earshot/accounting/network/orthonormal_basis.hpp"

namespace earshot {

/// Every node starts from z_u = x_u + N(0, sigma^2 I); then x_{t+1} = W x_t. A coalition's view is K z with K
/// its knowledge matrix, so a change of x_u by at most `sensitivity` costs, against this coalition and
/// exactly, alpha sensitivity^2 / (2 sigma^2) * leverage[u] in Renyi divergence of every order alpha, that is
/// mu-GDP with mu = sensitivity sqrt(leverage[u]) / sigma (proof: docs/network-privacy.md).
struct LeverageScores {
  Adversary adversary;
  std::size_t rounds = 0;  // rounds analysed; with one matrix, those that brought something new
  bool saturated = false;  // further rounds change nothing
  std::size_t rank = 0;    // dimension of what is known of the non-members
  /// By node, after the last round. 1 exactly when the node's start value is reconstructible (decided over
  /// prime fields, not by rounding), else strictly below 1. Members: 1.
  std::vector<double> leverage;
  /// Rounds after which the leverage is 1: 0 for members, empty for never within `rounds`.
  std::vector<std::optional<std::size_t>> first_exact_round;
  /// by_round[t - 1] is the leverage after t rounds; empty unless asked for.
  std::vector<std::vector<double>> by_round;
  NumericalCondition condition;

  /// One sentence when directions are lost in rounding; empty otherwise.
  std::string numerical_note() const;
  /// The largest and the mean leverage over non-members; 0 when there are none.
  double worst() const;
  double mean() const;
};

enum class LeverageCurve { kFinalOnly, kByRound };

LeverageScores leverage_scores(const GossipMatrix& matrix, const Adversary& adversary, RoundLimit limit,
                               LeverageCurve curve = LeverageCurve::kFinalOnly);

/// Many adversaries in parallel; those with equal closed neighbourhoods are analysed once.
std::vector<LeverageScores> leverage_scores(const GossipMatrix& matrix,
                                            std::span<const Adversary> adversaries, RoundLimit limit,
                                            LeverageCurve curve = LeverageCurve::kFinalOnly);

/// Matrices that change from round to round, for instance drawn at random, and are known to the coalition.
LeverageScores leverage_scores(const GossipSchedule& schedule, const Adversary& adversary,
                               LeverageCurve curve = LeverageCurve::kFinalOnly);

}  // namespace earshot
