// Gamma variables, from which Dirichlet proportions and the lengths of Euclidean Laplace noise are made.
#pragma once

#include "earshot/core/random.hpp"

namespace earshot {

/// Gamma(shape, 1) for shape >= 1 (Marsaglia & Tsang 2000, A simple method for generating gamma variables).
double gamma_variable(double shape, Stream& stream);

/// The logarithm of a gamma variable of any positive shape. A small shape needs the logarithm: at shape 0.01
/// most draws are smaller than the smallest positive double.
double log_gamma_variable(double shape, Stream& stream);

}  // namespace earshot
