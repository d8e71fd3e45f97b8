// What everybody knows of a run of ADMM or PDMM, read from what was told.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "earshot/threat/view.hpp"

namespace earshot {

/// How a node solves its subproblem, as far as that is public.
enum class LocalRule {
  kExact,    // to the end
  kOneStep,  // one gradient step of size alpha
  kSteps,    // several, which no formula undoes
  kParabola  // the loss replaced by a parabola of curvature mu
};

struct PrimalDualFacts {
  Graph network;  // with a server: it is the last node
  double rho = 0;
  double theta = 1;
  LocalRule rule = LocalRule::kExact;
  std::optional<double> step;  // alpha or mu; none: secret, or there is none
  bool differential = false;
  bool zero_start = false;  // z^(0) = 0, which everybody knows
  double cell = 0;          // width of the quantiser's widest cell; 0: none
  bool server = false;
  Round exchanges = 1;  // that make one round of training
  /// f_i over the mean loss of the node's records, by learning node.
  std::vector<double> scales;
  std::vector<std::size_t> records;  // by learning node

  /// Nodes with records come first.
  std::size_t learners() const { return records.size(); }
};

/// Refuses what is not a run of "pdmm", "admm" or "server_pdmm", and facts that are missing or make no sense.
PrimalDualFacts primal_dual_facts(const PublicKnowledge& told);

}  // namespace earshot
