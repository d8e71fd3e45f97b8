#include "earshot/mechanism/gaussian.hpp"

#include <cmath>
#include <utility>

#include "earshot/accounting/gaussian_curve.hpp"
#include "earshot/core/error.hpp"
#include "earshot/mechanism/exact_samplers.hpp"
#include "earshot/mechanism/grid.hpp"

namespace earshot {

GaussianMechanism::GaussianMechanism(MechanismTerms terms, double sigma, double delta)
    : terms_(std::move(terms)), sigma_(require_positive(sigma, "the noise deviation")), delta_(delta) {
  require_norm(terms_, Norm::kL2, "gaussian");
  if (!(delta > 0 && delta < 1)) fail(Fault::kConfig, "delta must lie strictly between 0 and 1");
  release_ = make_release(GaussianRelease{multiplier()});
}

GaussianMechanism GaussianMechanism::analytic(const MechanismTerms& terms, double epsilon, double delta,
                                              std::size_t releases) {
  if (releases == 0) fail(Fault::kConfig, "noise cannot be calibrated for zero releases");
  const double mu_per_release = gaussian_mu(epsilon, delta) / std::sqrt(static_cast<double>(releases));
  return {terms, terms.sensitivity / mu_per_release, delta};
}

GaussianMechanism GaussianMechanism::classical(const MechanismTerms& terms, double epsilon, double delta,
                                               bool as_published) {
  require_positive(epsilon, "epsilon");
  if (epsilon > 1 && !as_published) {
    fail(Fault::kConfig,
         "the classical Gaussian calibration is proved for epsilon up to 1 only; use the analytic "
         "calibration, "
         "or as_published to repeat a published setting");
  }
  return {terms, terms.sensitivity * std::sqrt(2 * std::log(1.25 / delta)) / epsilon, delta};
}

ReleasePointer GaussianMechanism::simulate(std::span<double> value, Stream& stream) const {
  bound_value(terms_, Norm::kL2, value);
  stream.add_normal(value, sigma_);
  return release_;
}

ReleasePointer GaussianMechanism::protect(std::span<double> value, SecureRandom& random) const {
  bound_value(terms_, Norm::kL2, value);
  const GridPlan plan = plan_grid(terms_, Norm::kL2, value.size());
  const ExactRatio sigma{noise_steps(plan, multiplier()), 1};
  for (double& x : value) x = plan.grid.value(index_of(plan, x), discrete_gaussian(random, sigma));
  return protected_release(value.size());
}

ReleasePointer GaussianMechanism::protected_release(std::size_t dimension) const {
  const GridPlan plan = plan_grid(terms_, Norm::kL2, dimension);
  return make_release(DiscreteGaussianRelease{static_cast<double>(noise_steps(plan, multiplier())),
                                              plan.sensitivity, dimension});
}

PrivacyStatement GaussianMechanism::statement(std::size_t releases) const {
  PrivacyStatement statement = statement_of_run(terms_);
  statement.epsilon = gaussian_epsilon(compose_gaussian(1 / multiplier(), releases), delta_);
  statement.delta = delta_;
  statement.definition = "(epsilon, delta)-local differential privacy of the whole run";
  statement.assumptions.insert(
      statement.assumptions.begin(),
      "exact composition of " + std::to_string(releases) + " Gaussian releases (Dong, Roth & Su 2022)");
  return statement;
}

}  // namespace earshot
