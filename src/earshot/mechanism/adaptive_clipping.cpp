#include "earshot/mechanism/adaptive_clipping.hpp"

#include <algorithm>
#include <cmath>

#include "earshot/core/error.hpp"
#include "earshot/mechanism/exact_samplers.hpp"

namespace earshot {

AdaptiveClip::AdaptiveClip(const Settings& settings) : settings_(settings), bound_(settings.initial) {
  require_positive(settings.initial, "the first clipping norm");
  require_positive(settings.rate, "the learning rate of the clipping norm");
  require_positive(settings.count_deviation, "the noise on the count");
  require_positive(settings.expected_contributions, "the expected number of contributions");
  if (!(settings.target >= 0 && settings.target <= 1))
    fail(Fault::kConfig, "the quantile that clipping follows must lie between 0 and 1");
}

std::int64_t AdaptiveClip::doubled_count(std::span<const double> norms) const {
  std::int64_t sum = 0;
  for (const double norm : norms) {
    if (!(norm >= 0)) fail(Fault::kNumeric, "a norm to be counted is not a number of at least 0");
    sum += norm <= bound_ ? 1 : -1;
  }
  return sum;
}

void AdaptiveClip::follow(double noised_half_sum) {
  const double within = noised_half_sum / settings_.expected_contributions + 0.5;
  // Within the range of norms that clipping accepts.
  bound_ = std::clamp(bound_ * std::exp(-settings_.rate * (within - settings_.target)), 1e-200, 1e200);
}

ReleasePointer AdaptiveClip::simulate(std::span<const double> norms, Stream& stream) {
  follow(0.5 * static_cast<double>(doubled_count(norms)) + settings_.count_deviation * stream.normal());
  return make_release(GaussianRelease{2 * settings_.count_deviation});
}

ReleasePointer AdaptiveClip::protect(std::span<const double> norms, SecureRandom& random) {
  // On a grid of halves: the doubled count moves by 1, the noise has twice the deviation, rounded up.
  constexpr double kDenominator = 0x1p16;
  const double deviation = std::ceil(2 * settings_.count_deviation * kDenominator) / kDenominator;
  const std::int64_t noise = discrete_gaussian(random, exact_ratio(deviation));
  follow(0.5 * static_cast<double>(doubled_count(norms) + noise));
  return make_release(DiscreteGaussianRelease{deviation, 1, 1});
}

double adaptive_sum_multiplier(double total, double count_deviation) {
  require_positive(total, "the noise multiplier");
  require_positive(count_deviation, "the noise on the count");
  const double left = 1 / (total * total) - 1 / (4 * count_deviation * count_deviation);
  if (!(left > 0)) {
    fail(Fault::kConfig,
         "the noise on the count is too small for this total noise multiplier: it must exceed half of it");
  }
  return 1 / std::sqrt(left);
}

}  // namespace earshot
