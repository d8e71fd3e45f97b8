// For tests: lines and random sets of points as metrics, random distributions and channels.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "earshot/collect/location/channel.hpp"
#include "earshot/core/random.hpp"

namespace earshot::testing {

/// Points at unit spacing.
inline Distances line_metric(std::size_t points) {
  Distances line{points, points, {}};
  for (std::size_t x = 0; x < points; ++x)
    for (std::size_t y = 0; y < points; ++y)
      line.value.push_back(std::abs(static_cast<double>(x) - static_cast<double>(y)));
  return line;
}

/// Euclidean distances of points drawn from a square of that side.
inline Distances scattered_metric(std::size_t points, double side, Stream& stream) {
  std::vector<double> at(2 * points);
  for (double& coordinate : at) coordinate = side * stream.uniform();
  Distances metric{points, points, {}};
  for (std::size_t x = 0; x < points; ++x)
    for (std::size_t y = 0; y < points; ++y)
      metric.value.push_back(std::hypot(at[2 * x] - at[2 * y], at[2 * x + 1] - at[2 * y + 1]));
  return metric;
}

/// Uniform on the simplex; about that share of the places are empty, never all.
inline std::vector<double> random_distribution(std::size_t places, Stream& stream, double empty = 0) {
  std::vector<double> p(places);
  double sum = 0;
  for (double& x : p) sum += x = stream.uniform() < empty ? 0 : stream.exponential();
  if (sum == 0) sum = p[0] = 1;
  for (double& x : p) x /= sum;
  return p;
}

/// Rows with about that share of zeros.
inline Channel random_channel(std::size_t inputs, std::size_t outputs, double zeros, Stream& stream) {
  Channel channel{inputs, outputs, {}};
  for (std::size_t x = 0; x < inputs; ++x) {
    const std::vector<double> row = random_distribution(outputs, stream, zeros);
    channel.probability.insert(channel.probability.end(), row.begin(), row.end());
  }
  return channel;
}

}  // namespace earshot::testing
