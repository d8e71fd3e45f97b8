// Whose models the messages of ADMM and PDMM give away, and how exactly.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>

#include "earshot/attack/leak/primal_dual_transcript.hpp"

namespace earshot {

/// Which of a node's links are used where one would do. Where messages are rounded every link has an error of
/// its own, and their mean has a smaller one.
enum class Links { kOne, kAll };

/// w_i as node i made it in its step number `step` (from 0). With B = B_{i|j}, h the change of z_{i|j}
/// between two steps and m the change of z_{j|i} by a step:
///   2 rho theta B (w' - w) = m' - (1 - theta) m - theta h          for consecutive steps,
/// and, telescoped, for any two (Yu 2026, section 5.1, for theta = 1 and rounds in which everybody works).
std::optional<Eigen::VectorXd> model_change(const PrimalDualTranscript& transcript, NodeId node,
                                            std::size_t from_step, std::size_t to_step, Links links);

/// w_i itself, where z^(0) of one of its links is known: the member at the other end holds both
/// z_{i|j} and z_{j|i}, or z^(0) is public. 2 rho B w = m / theta + z_{j|i} - z_{i|j}. Yu 2026 has an
/// adversary wait for convergence instead.
std::optional<Eigen::VectorXd> model_at_known_link(const PrimalDualTranscript& transcript, NodeId node,
                                                   std::size_t step, Links links);

/// w_i - w_j of two neighbours, both directions of whose link are heard: what their messages differ by,
/// nothing else. If both work in the same exchange, 2 rho theta B (w_i - w_j) = m_{j|i} + m_{i|j}; otherwise
/// with what was said in between.
std::optional<Eigen::VectorXd> model_gap(const PrimalDualTranscript& transcript, NodeId node,
                                         std::size_t step, NodeId neighbour, std::size_t neighbour_step);

/// w_i along the shortest path of heard links from a node whose model is known. One member anywhere makes
/// every model of a tapped connected network known, in every round: nothing has to converge.
std::optional<Eigen::VectorXd> model_along_links(const PrimalDualTranscript& transcript, NodeId node,
                                                 std::size_t step, Links links);

/// Yu 2026, Theorem 1: at the end everybody agrees with a member, so its last model less the changes of
/// w_i since is taken for w_i. The error is the disagreement at the end. None without a member whose model is
/// known.
std::optional<Eigen::VectorXd> model_from_the_end(const PrimalDualTranscript& transcript, NodeId node,
                                                  std::size_t step, Links links);

}  // namespace earshot
