// From the messages of ADMM and PDMM to gradients of a node's own loss, and to their differences.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <functional>
#include <optional>

#include "earshot/attack/leak/primal_dual_models.hpp"

namespace earshot {

/// grad f_i(w_{m+1}) - grad f_i(w_m), or the other way round where it says so, as `known` - s `bend`: s is
/// 1 / alpha for one gradient step, mu for the parabola, and plays no part in exact updates (`bend` = 0).
struct SteppedDifference {
  Eigen::VectorXd known;
  Eigen::VectorXd bend;

  Eigen::VectorXd value(double s) const { return known - s * bend; }
};

/// s of that rule with this alpha or mu; 0 for exact updates.
double bend_factor(LocalRule rule, double step);

/// grad f_i(w_{m+1}) - grad f_i(w_m), from what was said alone: no model has to be known, nothing has to
/// converge, any theta, nodes may sleep. With d the degree, dw_m = w_{m+1} - w_m and q_m the change of sum_j
/// B_{i|j} z_{i|j} between the node's steps m and m + 1, numbered from 0,
///   exact     - q_m - rho d dw_m                                     two steps of the node
///   one step  - q_{m+1} - rho d dw_m - (dw_{m+1} - dw_m) / alpha      three
///   parabola  - q_{m+1} - rho d dw_{m+1} - mu (dw_{m+1} - dw_m)       three
/// Several steps (kSteps) are taken for an exact update, which is wrong by the difference of what the steps
/// left of the gradient.
std::optional<SteppedDifference> gradient_difference(const PrimalDualTranscript& transcript, NodeId node,
                                                     std::size_t m, LocalRule rule, Links links);

/// grad f_i(w_m) = `known` - s `bend`, where every z_{i|j} is known: plain messages, all neighbours members,
/// a server, z^(0) = 0. exact: - sum_j B z_{i|j} - rho d w_m (Yu 2026, section 5.1.1, prints another index).
std::optional<SteppedDifference> whole_gradient(const PrimalDualTranscript& transcript, NodeId node,
                                                std::size_t m, LocalRule rule, Links links);

/// The model of a node in the m-th exchange that is heard, as an adversary has it.
using ModelGuess = std::function<std::optional<Eigen::VectorXd>(NodeId node, std::size_t m)>;

/// grad f_i(w_m) - grad f_i(w_{m+2}) from models, as Yu 2026 has it (Theorem 1 and section 5.1): theta = 1,
/// everybody works in every exchange. With S_m the sum of the neighbours' models,
///   exact     rho d (w_m + w_{m+2}) - 2 rho S_{m+1}                                   three models
///   one step  rho d (w_{m+2} - w_m + 2 w_{m+1}) - 2 rho S_{m+2} - (w_{m+2} - w_m - w_{m+3} + w_{m+1}) /
///   alpha parabola  rho d (w_{m+1} + w_{m+3}) - 2 rho S_{m+2} - mu (w_{m+1} - w_{m+3} - w_m + w_{m+2})
/// Refuses other protocols.
std::optional<SteppedDifference> published_difference(const PrimalDualTranscript& transcript, NodeId node,
                                                      std::size_t m, LocalRule rule,
                                                      const ModelGuess& models);

}  // namespace earshot
