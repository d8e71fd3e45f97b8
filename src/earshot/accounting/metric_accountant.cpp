#include "earshot/accounting/metric_accountant.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "earshot/accounting/accountant.hpp"
#include "earshot/core/error.hpp"

namespace earshot {

void MetricAccountant::add(const ReleaseEvent& event, std::uint64_t count) {
  for_each_leaf(event, count, [&](const ReleaseEvent& leaf, std::uint64_t times) {
    const auto* release = std::get_if<MetricRelease>(&leaf.kind);
    if (release == nullptr) {
      fail(Fault::kConfig, fmt::format("the metric accountant cannot interpret a \"{}\" release: its epsilon "
                                       "is not per unit of distance",
                                       kind_name(leaf)));
    }
    if (!parts_.empty() && release->distance != distance_) {
      fail(Fault::kConfig, fmt::format("releases in different distances cannot be added up: {} and {}",
                                       distance_, release->distance));
    }
    distance_ = release->distance;
    parts_.push_back({release->epsilon, release->delta, times});
    epsilon_ += static_cast<double>(times) * release->epsilon;
    delta_ += static_cast<double>(times) * release->delta;
  });
}

MetricAccountant::AtDistance MetricAccountant::at_distance(double distance) const {
  if (!(distance >= 0)) fail(Fault::kConfig, "a distance must not be negative");
  double log_kept = 0;
  for (const Part& part : parts_) {
    const double share = std::min(1.0, part.delta * std::exp(part.epsilon * distance));
    log_kept += static_cast<double>(part.count) * std::log1p(-share);
  }
  return {epsilon_ * distance, std::max(0.0, -std::expm1(log_kept))};
}

PrivacyStatement MetricAccountant::statement() const {
  if (parts_.empty()) fail(Fault::kConfig, "nothing was released: there is nothing to state");
  PrivacyStatement statement;
  statement.epsilon = epsilon_;
  statement.delta = delta_;
  statement.definition =
      delta_ > 0 ? "(epsilon, delta)-approximate geo-indistinguishability, epsilon per " + distance_
                 : "d-privacy (metric privacy), epsilon per " + distance_;
  statement.unit = "one secret (a location, a vector)";
  statement.adjacency =
      fmt::format("secrets x and x' at distance d ({}) are hidden up to epsilon * d", distance_);
  statement.adversary = "anyone who sees every report";
  statement.assumptions = {"independent noise in each report; epsilons add up"};
  if (delta_ > 0) {
    statement.assumptions.emplace_back(
        "at distance d the additive term is delta * e^(epsilon d): far apart the promise is empty");
  }
  return statement;
}

}  // namespace earshot
