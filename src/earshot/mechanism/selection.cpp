#include "earshot/mechanism/selection.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "earshot/core/error.hpp"
#include "earshot/mechanism/exact_choice.hpp"
#include "earshot/mechanism/grid.hpp"

namespace earshot {
namespace {

MechanismTerms score_terms(double sensitivity, std::string unit, std::string adjacency) {
  require_positive(sensitivity, "the sensitivity of the scores");
  return {"largest change of a score", sensitivity, {}, std::move(unit), std::move(adjacency)};
}

void require_scores(std::span<const double> scores) {
  if (scores.empty()) fail(Fault::kData, "there is no candidate to choose from");
  require_finite(scores);
}

template <class Noise>
std::size_t largest_after_noise(std::span<const double> scores, Noise&& noise) {
  std::size_t best = 0;
  double largest = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double noised = scores[i] + noise();
    if (i == 0 || noised > largest) {
      best = i;
      largest = noised;
    }
  }
  return best;
}

}  // namespace

ScoreGaps score_gaps(std::span<const double> scores, double epsilon, double sensitivity) {
  require_scores(scores);
  const GridPlan plan = plan_grid({"score", sensitivity, {}, {}, {}}, Norm::kL1, 1);
  std::vector<std::int64_t> indices;
  for (const double score : scores) indices.push_back(plan.grid.nearest(score));
  const std::int64_t best = std::ranges::max(indices);
  ScoreGaps result;
  for (const std::int64_t index : indices) result.gaps.push_back(static_cast<std::uint64_t>(best - index));
  result.scale = noise_steps(plan, 2 / epsilon);
  return result;
}

ExponentialMechanism::ExponentialMechanism(double epsilon, double sensitivity, std::string unit,
                                           std::string adjacency)
    : terms_(score_terms(sensitivity, std::move(unit), std::move(adjacency))),
      epsilon_(require_positive(epsilon, "epsilon")),
      release_(make_release(PureRelease{"exponential", epsilon})) {}

Released<std::size_t> ExponentialMechanism::simulate(std::span<const double> scores, Stream& stream) const {
  require_scores(scores);
  const double scale = 2 * terms_.sensitivity / epsilon_;
  return {largest_after_noise(scores, [&] { return -scale * std::log(stream.exponential()); }), release_};
}

Released<std::size_t> ExponentialMechanism::protect(std::span<const double> scores,
                                                    SecureRandom& random) const {
  const ScoreGaps on_grid = score_gaps(scores, epsilon_, terms_.sensitivity);
  return {exponential_choice(random, on_grid.gaps, {1, on_grid.scale}), release_};
}

NoisyMax::NoisyMax(double epsilon, double sensitivity, std::string unit, std::string adjacency,
                   NoisyMaxNoise noise)
    : terms_(score_terms(sensitivity, std::move(unit), std::move(adjacency))),
      epsilon_(require_positive(epsilon, "epsilon")),
      noise_(noise),
      release_(make_release(PureRelease{"noisy_max", epsilon})) {}

Released<std::size_t> NoisyMax::simulate(std::span<const double> scores, Stream& stream) const {
  require_scores(scores);
  const double scale = 2 * terms_.sensitivity / epsilon_;
  if (noise_ == NoisyMaxNoise::kLaplace)
    return {largest_after_noise(scores, [&] { return stream.laplace(scale); }), release_};
  return {largest_after_noise(scores, [&] { return scale * stream.exponential(); }), release_};
}

Released<std::size_t> NoisyMax::protect(std::span<const double> scores, SecureRandom& random) const {
  const ScoreGaps on_grid = score_gaps(scores, epsilon_, terms_.sensitivity);
  if (noise_ == NoisyMaxNoise::kLaplace)
    return {noisy_smallest(random, on_grid.gaps, {on_grid.scale, 1}), release_};
  return {permute_and_flip(random, on_grid.gaps, {1, on_grid.scale}), release_};
}

}  // namespace earshot
