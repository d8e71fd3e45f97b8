#include "earshot/collect/estimation/adversary.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <cblas.h>
#include <fmt/format.h>

#include "earshot/collect/estimation/distribution.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

void check_place(std::size_t place, std::size_t places) {
  if (place >= places)
    fail(Fault::kUsage, fmt::format("there is no place {}; the last one is {}", place, places - 1));
}

/// prior(x) C_xy, truths x reports.
std::vector<double> joint_distribution(std::span<const double> prior, const Channel& channel) {
  check_distribution(prior, channel.inputs, "the prior");
  std::vector<double> joint(channel.probability);
  for (std::size_t x = 0; x < channel.inputs; ++x) {
    for (std::size_t y = 0; y < channel.outputs; ++y) joint[x * channel.outputs + y] *= prior[x];
  }
  return joint;
}

}  // namespace

std::vector<double> posterior(std::span<const double> prior, const Channel& channel, std::size_t report) {
  check_distribution(prior, channel.inputs, "the prior");
  check_place(report, channel.outputs);
  std::vector<double> joint(channel.inputs);
  for (std::size_t x = 0; x < joint.size(); ++x) joint[x] = prior[x] * channel(x, report);
  if (std::ranges::none_of(joint, [](double p) { return p > 0; }))
    fail(Fault::kData, fmt::format("report {} has probability 0 under this prior and mechanism", report));
  return normalised(joint);
}

BayesAttack bayes_attack(std::span<const double> prior, const Channel& channel,
                         const Distances& between_truths) {
  const std::vector<double> joint = joint_distribution(prior, channel);
  const std::size_t truths = channel.inputs;
  if (between_truths.inputs != truths || between_truths.outputs != truths)
    fail(Fault::kData, "the adversary's errors need the distances between all truths");
  // risk(y, z) = sum_x joint(x, y) d(x, z)
  std::vector<double> risk(channel.outputs * truths);
  cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, static_cast<blasint>(channel.outputs),
              static_cast<blasint>(truths), static_cast<blasint>(truths), 1.0, joint.data(),
              static_cast<blasint>(channel.outputs), between_truths.value.data(),
              static_cast<blasint>(truths), 0.0, risk.data(), static_cast<blasint>(truths));
  BayesAttack attack;
  std::vector<double> blind(truths);
  for (std::size_t y = 0; y < channel.outputs; ++y) {
    const auto row = std::span(risk).subspan(y * truths, truths);
    const auto best = std::ranges::min_element(row);
    attack.guess.push_back(static_cast<std::size_t>(best - row.begin()));
    attack.expected_error += *best;
    for (std::size_t z = 0; z < truths; ++z) blind[z] += row[z];
  }
  const auto best = std::ranges::min_element(blind);
  attack.guess_without_report = static_cast<std::size_t>(best - blind.begin());
  attack.error_without_report = *best;
  return attack;
}

double top_k_success(std::span<const double> prior, const Channel& channel, std::size_t k) {
  const std::vector<double> joint = joint_distribution(prior, channel);
  if (k == 0 || k > channel.inputs)
    fail(Fault::kUsage, fmt::format("an adversary names between 1 and {} places, not {}", channel.inputs, k));
  double success = 0;
  std::vector<double> column(channel.inputs);
  for (std::size_t y = 0; y < channel.outputs; ++y) {
    for (std::size_t x = 0; x < column.size(); ++x) column[x] = joint[x * channel.outputs + y];
    std::ranges::nth_element(column, column.begin() + static_cast<std::ptrdiff_t>(k - 1), std::greater<>());
    success += std::accumulate(column.begin(), column.begin() + static_cast<std::ptrdiff_t>(k), 0.0);
  }
  return success;
}

PlaceExposure place_exposure(const Channel& channel, const Distances& distances, std::size_t place,
                             std::span<const std::size_t> zone) {
  check_place(place, channel.inputs);
  if (channel.outputs < channel.inputs || distances.inputs != channel.inputs ||
      distances.outputs != channel.inputs)
    fail(Fault::kData,
         "the exposure of a place needs a channel that can report every place and the distances between "
         "places");
  const std::span<const double> row = channel.row(place).first(channel.inputs);
  const auto mode = std::ranges::max_element(row);
  PlaceExposure result{static_cast<std::size_t>(mode - row.begin()), *mode, row[place], 0, 0};
  for (const std::size_t y : zone) {
    check_place(y, channel.inputs);
    result.zone += row[y];
  }
  for (std::size_t y = 0; y < row.size(); ++y) result.expected_distance += row[y] * distances(place, y);
  return result;
}

std::vector<double> island_prior(std::span<const double> prior, std::span<const std::size_t> zone,
                                 std::span<const MassAt> added) {
  check_distribution(prior, prior.size(), "the prior");
  std::vector<double> island(prior.begin(), prior.end());
  for (const std::size_t x : zone) {
    check_place(x, prior.size());
    island[x] = 0;
  }
  for (const MassAt& one : added) {
    check_place(one.place, prior.size());
    island[one.place] += one.mass;
  }
  const double sum = std::accumulate(island.begin(), island.end(), 0.0);
  if (!(std::abs(sum - 1) <= 1e-6))
    fail(
        Fault::kConfig,
        fmt::format(
            "the masses added to an island must make up for the emptied zone; the prior adds up to {}", sum));
  return normalised(island);
}

std::vector<double> contaminated_prior(std::span<const double> prior, std::size_t place, double share) {
  check_distribution(prior, prior.size(), "the prior");
  check_place(place, prior.size());
  if (!(share >= 0 && share <= 1)) fail(Fault::kConfig, "the share of false reporters must lie in [0, 1]");
  std::vector<double> result(prior.begin(), prior.end());
  for (double& p : result) p *= 1 - share;
  result[place] += share;
  return result;
}

}  // namespace earshot
