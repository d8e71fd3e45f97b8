// What members of ADMM or PDMM learn of groups of nodes that are cut off by them: the sum of their gradients.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "earshot/attack/leak/primal_dual_gradients.hpp"

namespace earshot {

/// The nodes that are not members fall into connected components when members are taken out. Inside one, an
/// eavesdropper cannot know z_{i|j} and z_{j|i}, but he can know their difference, which is all the sum of
/// the gradients depends on:
///   sum_{i in H} grad f_i(w_i) = - sum_{honest edges i<j} B_{i|j} (z_{i|j} - z_{j|i})
///                                - sum_{i in H, j member} B_{i|j} z_{i|j} - rho sum_{i in H} d_i w_i
/// for exact updates (Yu et al. 2024), and accordingly for the others; any theta, also if nodes sleep. A
/// component of one node gives its gradient away.
struct HonestSum {
  std::vector<NodeId> nodes;            // of the component, ascending
  std::vector<std::size_t> steps;       // of each, whose model the gradient is at
  std::vector<Eigen::VectorXd> models;  // of each
  SteppedDifference gradients;          // their sum
};

/// The components of honest nodes, whether or not anything is known of them.
std::vector<std::vector<NodeId>> honest_components(const PrimalDualTranscript& transcript);

/// For every component that can be read: gradients at the models the nodes had after exchange `at`.
std::vector<HonestSum> honest_sums(const PrimalDualTranscript& transcript, LocalRule rule, Round at,
                                   Links links);

}  // namespace earshot
