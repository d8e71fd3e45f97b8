// Random proportions: the Dirichlet distribution, by way of gamma variables.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "earshot/core/random.hpp"

namespace earshot {

/// The logarithm of a gamma variable of scale 1 (Marsaglia & Tsang 2000). A small shape needs the logarithm:
/// at shape 0.01 most draws are smaller than the smallest positive double.
inline double log_gamma_variable(Stream& stream, double shape) {
  if (shape < 1) return log_gamma_variable(stream, shape + 1) - stream.exponential() / shape;
  const double d = shape - 1.0 / 3.0;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = stream.normal();
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    if (std::log(stream.uniform()) < 0.5 * x * x + d * (1 - v + std::log(v))) return std::log(d * v);
  }
}

/// `count` proportions that sum to 1, from the symmetric Dirichlet distribution.
inline std::vector<double> dirichlet(Stream& stream, std::size_t count, double alpha) {
  std::vector<double> proportions(count);
  for (double& value : proportions) value = log_gamma_variable(stream, alpha);
  const double largest = *std::ranges::max_element(proportions);
  double sum = 0;
  for (double& value : proportions) sum += value = std::exp(value - largest);
  for (double& value : proportions) value /= sum;
  return proportions;
}

}  // namespace earshot
