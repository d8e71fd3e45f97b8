// For tests: small domains, and the formulas of the papers written out naively.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "earshot/collect/location/channel.hpp"
#include "earshot/collect/location/test_places.hpp"

namespace earshot::testing {

/// Cells of a grid, one apart.
inline Distances grid_metric(std::size_t rows, std::size_t columns) {
  Distances metric{rows * columns, rows * columns, {}};
  for (std::size_t x = 0; x < rows * columns; ++x) {
    for (std::size_t y = 0; y < rows * columns; ++y)
      metric.value.push_back(std::hypot(static_cast<double>(x / columns) - static_cast<double>(y / columns),
                                        static_cast<double>(x % columns) - static_cast<double>(y % columns)));
  }
  return metric;
}

/// The shares of the reports: theta C.
inline std::vector<double> through(std::span<const double> theta, const Channel& channel) {
  std::vector<double> q(channel.outputs);
  for (std::size_t x = 0; x < channel.inputs; ++x) {
    for (std::size_t y = 0; y < q.size(); ++y) q[y] += theta[x] * channel(x, y);
  }
  return q;
}

/// theta'(x) = sum_y q(y) theta(x) C_xy / sum_z theta(z) C_zy, in extended precision. Rows need not add up
/// to 1.
inline std::vector<double> naive_update(const Channel& c, std::span<const double> theta,
                                        std::span<const double> q) {
  std::vector<double> next(theta.size());
  for (std::size_t x = 0; x < theta.size(); ++x) {
    long double sum = 0;
    for (std::size_t y = 0; y < q.size(); ++y) {
      if (q[y] == 0) continue;
      long double predicted = 0;
      for (std::size_t z = 0; z < theta.size(); ++z)
        predicted += static_cast<long double>(theta[z]) * c(z, y);
      sum += static_cast<long double>(q[y]) * theta[x] * c(x, y) / predicted;
    }
    next[x] = static_cast<double>(sum);
  }
  return next;
}

inline double largest_difference(std::span<const double> a, std::span<const double> b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

}  // namespace earshot::testing
