// One victim in many rounds of ADMM or PDMM: its differences of gradients added up so that noise averages
// out, and a secret step size that makes them agree.
#pragma once

#include <optional>
#include <span>

#include "earshot/attack/leak/primal_dual_gradients.hpp"
#include "earshot/model/architecture.hpp"

namespace earshot {

/// sum_t <r_t, v> r_t, with v the unit vector that makes the sum of <r_t, v>^2 largest. Where all r_t are
/// multiples of one vector, as the differences of logistic regression on one record are, this is its least-
/// squares estimate; and whatever holds for every linear combination of them, as the ratio at the first dense
/// layer does, holds for the sum. Rounds in which the model hardly moves are all noise and make it worse.
Eigen::VectorXd aligned_sum(std::span<const Eigen::VectorXd> differences);

/// alpha or mu of rule kOneStep or kParabola when it is secret: the differences of several rounds, each known
/// - s bend, show one and the same input at the first dense layer only for the true s. Found as the s for
/// which the rows of all rounds come nearest to one direction. One record in a network that begins with a
/// dense layer with bias. None when the differences do not tell.
std::optional<double> fit_step(const Architecture& architecture, LocalRule rule,
                               std::span<const SteppedDifference> differences);

}  // namespace earshot
