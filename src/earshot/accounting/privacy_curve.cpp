#include "earshot/accounting/privacy_curve.hpp"

#include <cmath>

#include <fmt/format.h>

#include "earshot/accounting/basic_curves.hpp"
#include "earshot/accounting/sampled_curves.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using Curve = std::shared_ptr<const PrivacyCurve>;

/// A finite pair with this many outcomes is cheaper to sample exactly than to integrate.
constexpr std::uint64_t kMostOutcomes = 100000;

std::vector<double> mixture(const std::vector<double>& p, const std::vector<double>& q, double rate) {
  std::vector<double> out(p.size());
  for (std::size_t i = 0; i < p.size(); ++i) out[i] = (1 - rate) * q[i] + rate * p[i];
  return out;
}

FinitePairRelease randomised_response(const PureRelease& release) {
  const double keep = 1 / (1 + std::exp(-release.epsilon));
  const double flip = 1 / (1 + std::exp(release.epsilon));
  return {release.name, {keep, flip}, {flip, keep}};
}

/// The outcomes of discrete Laplace noise that differ in loss.
FinitePairRelease outcomes(const DiscreteLaplaceRelease& release) {
  const double a = std::exp(-1 / release.scale);
  FinitePairRelease pair{"discrete Laplace noise", {1 / (1 + a)}, {}};
  for (std::uint64_t k = 1; k < release.sensitivity; ++k)
    pair.p.push_back((1 - a) / (1 + a) * std::exp(-static_cast<double>(k) / release.scale));
  pair.p.push_back(std::exp(-static_cast<double>(release.sensitivity) / release.scale) / (1 + a));
  pair.q.assign(pair.p.rbegin(), pair.p.rend());
  return pair;
}

/// As a pair of finite distributions, when the release is one.
std::optional<FinitePairRelease> finite_pair(const ReleaseEvent& event) {
  if (const auto* r = std::get_if<FinitePairRelease>(&event.kind)) return *r;
  if (const auto* r = std::get_if<PureRelease>(&event.kind)) return randomised_response(*r);
  if (const auto* r = std::get_if<DiscreteLaplaceRelease>(&event.kind);
      r != nullptr && r->sensitivity <= kMostOutcomes)
    return outcomes(*r);
  return std::nullopt;
}

Curve discrete_gaussian(const DiscreteGaussianRelease& release) {
  const double ratio = release.sensitivity / release.sigma;
  const bool scalar = release.dimension == 1 && release.sensitivity == std::floor(release.sensitivity);
  // How a vector's sensitivity is spread over its coordinates matters for the loss, and is not known; a table
  // of a very fine grid's outcomes would be too long.
  if (!scalar || release.sigma > DiscreteGaussianCurve::largest_sigma())
    return std::make_shared<ConcentratedCurve>("discrete Gaussian noise on a vector or a very fine grid",
                                               ratio * ratio / 2);
  return std::make_shared<DiscreteGaussianCurve>(release.sigma,
                                                 static_cast<std::uint64_t>(release.sensitivity));
}

Curve poisson(const PoissonSampledRelease& release) {
  if (const auto pair = finite_pair(*release.inner)) {
    return std::make_shared<FinitePairCurve>(pair->name + " on a Poisson sample",
                                             mixture(pair->p, pair->q, release.rate), pair->q);
  }
  return std::make_shared<PoissonSampledCurve>(release.rate, curve_of(*release.inner));
}

Curve without_replacement(const SampledWithoutReplacementRelease& release) {
  const double rate = static_cast<double>(release.sample) / static_cast<double>(release.population);
  return std::make_shared<SampledWithoutReplacementCurve>(rate, curve_of(*release.inner));
}

}  // namespace

Curve curve_of(const ReleaseEvent& event) {
  if (const auto* r = std::get_if<GaussianRelease>(&event.kind))
    return std::make_shared<GaussianCurve>(1 / r->noise_multiplier);
  if (const auto* r = std::get_if<LaplaceRelease>(&event.kind))
    return std::make_shared<LaplaceCurve>(1 / r->noise_multiplier);
  if (const auto* r = std::get_if<DiscreteLaplaceRelease>(&event.kind))
    return std::make_shared<DiscreteLaplaceCurve>(r->scale, r->sensitivity);
  if (const auto* r = std::get_if<DiscreteGaussianRelease>(&event.kind)) return discrete_gaussian(*r);
  if (const auto* r = std::get_if<CurveRelease>(&event.kind))
    return std::make_shared<FinitePairCurve>(curve_through(*r));
  if (const auto* r = std::get_if<ConcentratedRelease>(&event.kind))
    return std::make_shared<ConcentratedCurve>(r->name, r->rho);
  if (const auto* r = std::get_if<PoissonSampledRelease>(&event.kind)) return poisson(*r);
  if (const auto* r = std::get_if<SampledWithoutReplacementRelease>(&event.kind))
    return without_replacement(*r);
  if (const auto pair = finite_pair(event))
    return std::make_shared<FinitePairCurve>(pair->name, pair->p, pair->q);
  fail(Fault::kConfig, fmt::format("a \"{}\" release has no privacy curve of its own", kind_name(event)));
}

}  // namespace earshot
