#include "earshot/collect/privic/comparison.hpp"

#include "earshot/collect/estimation/adversary.hpp"
#include "earshot/collect/estimation/earth_mover.hpp"
#include "earshot/collect/estimation/utility.hpp"
#include "earshot/collect/location/distance_channels.hpp"
#include "earshot/collect/location/privacy_check.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

constexpr double kMostEpsilon = 64;  // per unit of distance: reports are the truth but for one in 1e27

}  // namespace

double matching_epsilon(MatchedBy what, std::span<const double> prior, const Channel& channel,
                        const LaplaceMap& map) {
  if (what == MatchedBy::kPrivacy) return metric_privacy(channel, map.between_truths).epsilon;
  // Both fall with epsilon once the sign is set: distortion by itself, information negated.
  const auto value = [&](const Channel& c, const Distances& d) {
    return what == MatchedBy::kDistortion ? average_distortion(prior, c, d) : -mutual_information(prior, c);
  };
  const double target = value(channel, map.between_truths);
  double low = 0;
  double high = kMostEpsilon;
  if (value(laplace_kernel(map.to_reports, low), map.to_reports) <= target) return low;
  while (high - low > 1e-9) {
    const double middle = (low + high) / 2;
    (value(laplace_kernel(map.to_reports, middle), map.to_reports) > target ? low : high) = middle;
  }
  return high;
}

MechanismScore score_mechanism(std::span<const double> prior, const Channel& channel, const LaplaceMap& map,
                               std::span<const double> estimate) {
  const Distances& to_reports =
      channel.outputs == map.between_truths.outputs ? map.between_truths : map.to_reports;
  return {metric_privacy(channel, map.between_truths).epsilon,
          bits(mutual_information(prior, channel)),
          average_distortion(prior, channel, to_reports),
          earth_movers_distance(estimate, prior, map.between_truths).distance,
          bayes_attack(prior, channel, map.between_truths).expected_error,
          top_k_success(prior, channel, 1)};
}

}  // namespace earshot
