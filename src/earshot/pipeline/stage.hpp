// The first half of a trial: the network, who listens, and what the structure alone gives away.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "earshot/attack/gossip/exposure.hpp"
#include "earshot/core/json.hpp"
#include "earshot/experiment/plan.hpp"
#include "earshot/graph/gossip_matrix.hpp"
#include "earshot/graph/topologies.hpp"
#include "earshot/threat/adversary.hpp"

namespace earshot {

/// What names a trial: everything random in it is drawn from streams of this address.
struct TrialAddress {
  std::uint64_t seed = 0;
  std::uint64_t trial = 0;
  StreamName stream(Purpose purpose) const { return {seed, purpose, trial}; }
};

struct Stage {
  GossipMatrix matrix;
  std::vector<Adversary> adversaries;
  const Graph& graph() const { return matrix.graph(); }
};

/// Builds graph, weights and adversaries of a cell.
Stage build_stage(const Cell& cell, const TrialAddress& address, const GraphSources& sources);

/// Rounds the adversary records: the attack's window, or all rounds of the protocol (0: until saturation).
std::size_t recorded_rounds(const Cell& cell);

/// Rounding of 64-bit messages.
inline constexpr double kDoubleRoundoff = 0x1.0p-53;

/// Messages rounded to u = unit_roundoff carry x_v to within 1 % of its scale when amplification * u <= 0.01.
double unit_roundoff(const Cell& cell);

/// Exposure of every adversary with the error amplification of every node.
struct StageExposure {
  std::vector<Exposure> exposures;
  std::vector<std::vector<double>> amplification;  // by adversary, then node
};
StageExposure expose(const Stage& stage, std::size_t rounds);

/// Can the node be recovered from messages of this precision?
bool recoverable(const Exposure& exposure, std::span<const double> amplification, NodeId node,
                 double roundoff);

Json network_json(const Stage& stage, std::size_t rounds);
/// One entry per adversary: attackers, reconstructible, recoverable (from messages of that precision),
/// first_round, amplification, by_round, saturated, relations.
Json exposure_json(const Stage& stage, const StageExposure& exposed, double roundoff);

}  // namespace earshot
