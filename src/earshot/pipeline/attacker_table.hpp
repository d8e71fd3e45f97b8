// The row an attacker gets in every trial: where it stands in the graph and how much it learnt.
#pragma once

#include <string>
#include <vector>

#include "earshot/pipeline/rows.hpp"
#include "earshot/pipeline/stage.hpp"

namespace earshot {

/// How the attack on one adversary's targets went; absent when no data was at stake.
struct AttackTally {
  double success_rate = 0;  // share of targets reconstructed above the success line
  double mean_psnr = 0;
};

std::vector<std::string> attacker_columns(bool with_attack);

/// One row per adversary. Centralities are those of a lone attacker; a coalition has none.
Json attacker_table(const Stage& stage, const StageExposure& exposed, double roundoff,
                    const std::vector<AttackTally>* tallies);

/// Hops from the nearest member to every node (no value: unreachable).
std::vector<std::optional<std::size_t>> distances_from(const Graph& graph, const Adversary& adversary);

/// Columns every table of victims starts with, and their values.
std::vector<std::string> victim_columns();
Json victim_row(const Stage& stage, const StageExposure& exposed, std::size_t adversary, NodeId victim,
                const std::vector<std::optional<std::size_t>>& distances);

}  // namespace earshot
