// One record in many rounds of ADMM or PDMM: its input by least squares over all of them, and a secret step
// size that makes all of them agree.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "earshot/attack/leak/primal_dual_gradients.hpp"
#include "earshot/model/architecture.hpp"

namespace earshot {

/// For one record the first dense layer's part of every difference of gradients is a multiple of (x, 1), row
/// by row: x = sum r_b r_w / sum r_b^2 over all rows and rounds, which averages noise. Rounds in which the
/// model hardly moves are all noise and make it worse. None when the network does not begin with a dense
/// layer with bias, or no row shows anything.
std::optional<std::vector<double>> input_over_rounds(const Architecture& architecture,
                                                     std::span<const Eigen::VectorXd> differences);

/// alpha or mu of rule kOneStep or kParabola when it is secret: the differences of several rounds, each known
/// - s bend, show one and the same input only for the true s. Found as the s for which the rows of all rounds
/// come nearest to one direction. One record in a network that begins with a dense layer with bias; at least
/// two rounds, or several units. None when the differences do not tell.
std::optional<double> fit_step(const Architecture& architecture, LocalRule rule,
                               std::span<const SteppedDifference> differences);

}  // namespace earshot
