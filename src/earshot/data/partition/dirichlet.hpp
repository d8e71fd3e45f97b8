// Random proportions: the Dirichlet distribution, by way of gamma variables.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "earshot/core/gamma.hpp"

namespace earshot {

/// `count` proportions that sum to 1, from the symmetric Dirichlet distribution.
inline std::vector<double> dirichlet(Stream& stream, std::size_t count, double alpha) {
  std::vector<double> proportions(count);
  for (double& value : proportions) value = log_gamma_variable(alpha, stream);
  const double largest = *std::ranges::max_element(proportions);
  double sum = 0;
  for (double& value : proportions) sum += value = std::exp(value - largest);
  for (double& value : proportions) value /= sum;
  return proportions;
}

}  // namespace earshot
