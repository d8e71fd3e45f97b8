#include "earshot/audit/claim.hpp"

#include <cmath>

#include <fmt/format.h>

#include "earshot/accounting/accountant.hpp"
#include "earshot/accounting/privacy_curve.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

Claim metric_claim(const MetricRelease& release, double delta, double distance) {
  if (delta != 0) {
    fail(Fault::kConfig,
         fmt::format("\"{}\" states metric privacy, which has a delta of its own; leave delta out",
                     release.name));
  }
  if (!(distance > 0) || !std::isfinite(distance))
    fail(Fault::kConfig, "the distance between two inputs must be positive and finite");
  const double epsilon = release.epsilon * distance;
  return {epsilon, std::exp(epsilon) * release.delta,
          fmt::format("{:g} per unit of {}, at distance {:g}", release.epsilon, release.distance, distance)};
}

/// Of discrete Gaussian vectors and of zCDP mechanisms the loss distribution is not known.
std::unique_ptr<Accountant> accountant_for(const ReleaseEvent& event) {
  const bool renyi_only = std::holds_alternative<DiscreteGaussianRelease>(event.kind) ||
                          std::holds_alternative<ConcentratedRelease>(event.kind);
  return make_accountant(renyi_only ? "rdp" : "pld");
}

Claim curve_claim(const ReleaseEvent& event, double delta) {
  if (delta == 0) return {curve_of(event)->largest_loss(), 0, "the largest loss of its privacy curve"};
  const auto accountant = accountant_for(event);
  accountant->add(event);
  return {accountant->epsilon(delta), delta, accountant->method(delta)};
}

}  // namespace

Claim claim_of(const ReleaseEvent& event, double delta, double distance) {
  if (const auto* metric = std::get_if<MetricRelease>(&event.kind))
    return metric_claim(*metric, delta, distance);
  Claim claim = curve_claim(event, delta);
  if (!std::isfinite(claim.epsilon)) {
    fail(Fault::kConfig,
         fmt::format("nothing is stated at delta {:g} by this release: {}; give a larger delta", delta,
                     describe(event)));
  }
  return claim;
}

}  // namespace earshot
