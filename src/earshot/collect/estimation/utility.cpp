#include "earshot/collect/estimation/utility.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "earshot/collect/estimation/distribution.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

void check_fit(std::span<const double> prior, const Channel& channel) {
  check_distribution(prior, channel.inputs, "the prior");
}

void check_fit(std::span<const double> prior, const Channel& channel, const Distances& distances) {
  check_fit(prior, channel);
  if (distances.inputs != channel.inputs || distances.outputs != channel.outputs)
    fail(Fault::kData, "channel and distances must be about the same truths and reports");
}

/// Calls use(p, d) for every pair of truth and report of probability p > 0 at distance d.
template <class Use>
void each_distance(std::span<const double> prior, const Channel& channel, const Distances& distances,
                   const Use& use) {
  check_fit(prior, channel, distances);
  for (std::size_t x = 0; x < channel.inputs; ++x) {
    for (std::size_t y = 0; y < channel.outputs; ++y) {
      const double p = prior[x] * channel(x, y);
      if (p > 0) use(p, distances(x, y));
    }
  }
}

}  // namespace

double bits(double nats) {
  return nats / std::log(2.0);
}

double entropy(std::span<const double> distribution) {
  check_distribution(distribution, distribution.size(), "a distribution");
  double sum = 0;
  for (const double p : distribution) sum -= p > 0 ? p * std::log(p) : 0;
  return sum;
}

double mutual_information(std::span<const double> prior, const Channel& channel) {
  check_fit(prior, channel);
  std::vector<double> marginal(channel.outputs);
  for (std::size_t x = 0; x < channel.inputs; ++x) {
    for (std::size_t y = 0; y < channel.outputs; ++y) marginal[y] += prior[x] * channel(x, y);
  }
  double sum = 0;
  for (std::size_t x = 0; x < channel.inputs; ++x) {
    for (std::size_t y = 0; y < channel.outputs; ++y) {
      const double p = prior[x] * channel(x, y);
      if (p > 0) sum += p * std::log(channel(x, y) / marginal[y]);
    }
  }
  return std::max(sum, 0.0);  // independent reports leave a rounding error
}

double average_distortion(std::span<const double> prior, const Channel& channel, const Distances& distances) {
  double sum = 0;
  each_distance(prior, channel, distances, [&](double p, double d) { sum += p * d; });
  return sum;
}

double distortion_quantile(std::span<const double> prior, const Channel& channel, const Distances& distances,
                           double p) {
  if (!(p > 0 && p <= 1)) fail(Fault::kConfig, "the probability of a quantile must lie in (0, 1]");
  std::vector<std::pair<double, double>> weighted;
  each_distance(prior, channel, distances,
                [&](double weight, double d) { weighted.emplace_back(d, weight); });
  std::ranges::sort(weighted);
  double reached = 0;
  for (const auto& [distance, weight] : weighted) {
    reached += weight;
    if (reached >= p * (1 - 1e-12)) return distance;
  }
  return weighted.back().first;
}

double share_within(std::span<const double> prior, const Channel& channel, const Distances& distances,
                    double radius) {
  double sum = 0;
  each_distance(prior, channel, distances, [&](double p, double d) { sum += d <= radius ? p : 0; });
  return sum;
}

}  // namespace earshot
