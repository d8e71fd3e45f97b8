#include "earshot/collect/location/distance_channels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

void check_epsilon(double epsilon) {
  if (!(epsilon >= 0)) fail(Fault::kConfig, fmt::format("epsilon is {}, it must be 0 or positive", epsilon));
}

void check_distances(const Distances& distances) {
  if (distances.inputs == 0 || distances.outputs == 0 ||
      distances.value.size() != distances.inputs * distances.outputs)
    fail(Fault::kData, "there must be a distance from every truth to every report");
  if (!std::ranges::all_of(distances.value, [](double d) { return d >= 0; }))
    fail(Fault::kData, "distances must be 0 or positive numbers");
}

/// Weights relative to the nearest report, so that the largest is 1 and no sum underflows.
void fill_row(std::span<const double> distance, double epsilon, double radius, std::span<double> row) {
  const double nearest = *std::ranges::min_element(distance);
  std::ranges::transform(distance, row.begin(), [&](double d) {
    if (!(d <= radius)) return 0.0;
    return d == nearest ? 1.0 : std::exp(-epsilon * (d - nearest));
  });
  const double sum = std::accumulate(row.begin(), row.end(), 0.0);
  for (double& p : row) p /= sum;
}

}  // namespace

Channel truncated_laplace_kernel(const Distances& distances, double epsilon, double radius) {
  check_epsilon(epsilon);
  check_distances(distances);
  if (!(radius >= 0) || std::isinf(radius))
    fail(Fault::kConfig, "the truncation radius must be finite and not negative");
  Channel channel{distances.inputs, distances.outputs, std::vector<double>(distances.value.size())};
  for (std::size_t x = 0; x < channel.inputs; ++x) {
    if (!(*std::ranges::min_element(distances.row(x)) <= radius))
      fail(Fault::kConfig,
           fmt::format("no report lies within {} of place {}; choose a larger truncation radius", radius, x));
    fill_row(distances.row(x), epsilon, radius, channel.row(x));
  }
  return channel;
}

Channel laplace_kernel(const Distances& distances, double epsilon) {
  return truncated_laplace_kernel(distances, epsilon, std::numeric_limits<double>::max());
}

Channel exponential_kernel(const Distances& distances, double epsilon) {
  return laplace_kernel(distances, epsilon / 2);
}

Channel randomised_response_channel(std::size_t places, double epsilon) {
  check_epsilon(epsilon);
  if (places == 0) fail(Fault::kConfig, "randomised response needs at least one place");
  const double weight = std::exp(-epsilon);
  const double keep = 1 / (1 + static_cast<double>(places - 1) * weight);
  Channel channel{places, places, std::vector<double>(places * places, keep * weight)};
  for (std::size_t x = 0; x < places; ++x) channel.row(x)[x] = keep;
  return channel;
}

}  // namespace earshot
