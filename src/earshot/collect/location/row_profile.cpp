#include "earshot/collect/location/row_profile.hpp"

#include <algorithm>
#include <cmath>

#include "earshot/collect/location/privacy_check.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/parallel.hpp"

namespace earshot {
namespace {

void require_shapes(const Channel& channel, const Distances& loss) {
  if (loss.inputs != channel.inputs || loss.outputs != channel.outputs)
    fail(Fault::kConfig, "there must be a distance from every truth to every report of the channel");
}

/// The worst of this row against all others, both ways.
double row_epsilon(const Channel& channel, const Distances& metric, std::size_t x) {
  double worst = 0;
  for (std::size_t z = 0; z < channel.inputs; ++z) {
    if (z == x || std::isinf(metric(x, z))) continue;
    double ratio = 1;
    for (std::size_t y = 0; y < channel.outputs; ++y) {
      const double a = channel(x, y);
      const double b = channel(z, y);
      if (a != b) ratio = std::max(ratio, std::max(a, b) / std::min(a, b));
    }
    if (ratio > 1) worst = std::max(worst, std::log(ratio) / metric(x, z));
  }
  return worst;
}

}  // namespace

std::vector<RowProfile> row_profiles(const Channel& channel, const Distances& loss, const Distances& metric) {
  check_channel(channel);
  require_shapes(channel, loss);
  std::vector<RowProfile> profiles(channel.inputs);
  parallel_for(channel.inputs, [&](std::size_t x) {
    const auto row = channel.row(x);
    const auto away = loss.row(x);
    RowProfile& profile = profiles[x];
    profile.self_report = row[static_cast<std::size_t>(std::ranges::min_element(away) - away.begin())];
    profile.likeliest = static_cast<std::size_t>(std::ranges::max_element(row) - row.begin());
    for (std::size_t y = 0; y < channel.outputs; ++y) profile.expected_distance += row[y] * away[y];
    profile.epsilon = row_epsilon(channel, metric, x);
  });
  return profiles;
}

double elastic_residual(const Channel& channel, const std::vector<double>& prior, const Distances& loss,
                        double beta) {
  require_shapes(channel, loss);
  if (prior.size() != channel.inputs) fail(Fault::kConfig, "the prior must have an entry per truth");
  std::vector<double> mass(channel.outputs);
  for (std::size_t x = 0; x < channel.inputs; ++x)
    for (std::size_t y = 0; y < channel.outputs; ++y) mass[y] += prior[x] * channel(x, y);
  double worst = 0;
  std::vector<double> form(channel.outputs);
  for (std::size_t x = 0; x < channel.inputs; ++x) {
    double sum = 0;
    for (std::size_t y = 0; y < channel.outputs; ++y) sum += form[y] = mass[y] * std::exp(-beta * loss(x, y));
    for (std::size_t y = 0; y < channel.outputs; ++y)
      worst = std::max(worst, std::abs(form[y] / sum - channel(x, y)));
  }
  return worst;
}

}  // namespace earshot
