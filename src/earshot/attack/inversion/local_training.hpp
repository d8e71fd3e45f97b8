// Local steps of a client, unrolled: how the change of its parameters depends on every record.
#pragma once

#include <memory>

#include "earshot/attack/inversion/observation.hpp"

namespace earshot {

/// Steps on `records` records.
std::size_t local_steps(const LocalTraining& training, std::size_t records);

/// Predicts theta_0 - theta_K of plain gradient steps. The pullback goes backwards through the steps (Geiping
/// et al. 2020, section 6.2, differentiate the same chain): with the direction v on theta_0 - theta_K and
/// lambda_K = v, step k adds rate * pullback_k(lambda_{k+1}) to its batch, and
/// lambda_k = lambda_{k+1} - rate * H_k lambda_{k+1}, where the product with the Hessian is a central
/// difference of gradients.
std::unique_ptr<Predictor<double>> make_unrolled_training(const Model& model, const Observation& observation);

}  // namespace earshot
