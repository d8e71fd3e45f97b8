#include "earshot/mechanism/concentrated_laplace.hpp"

#include <numbers>
#include <utility>

#include "earshot/accounting/conversion.hpp"
#include "earshot/core/error.hpp"
#include "earshot/mechanism/exact_samplers.hpp"
#include "earshot/mechanism/grid.hpp"

namespace earshot {
namespace {

ReleasePointer concentrated(double multiplier) {
  return make_release(
      ConcentratedRelease{"Laplace noise on a value bounded in L2", 1 / (2 * multiplier * multiplier)});
}

}  // namespace

ConcentratedLaplace::ConcentratedLaplace(MechanismTerms terms, double scale, double delta)
    : terms_(std::move(terms)), scale_(require_positive(scale, "the noise scale")), delta_(delta) {
  require_norm(terms_, Norm::kL2, "concentrated_laplace");
  if (!(delta > 0 && delta < 1)) fail(Fault::kConfig, "delta must lie strictly between 0 and 1");
  release_ = concentrated(multiplier());
}

ReleasePointer ConcentratedLaplace::simulate(std::span<double> value, Stream& stream) const {
  bound_value(terms_, Norm::kL2, value);
  for (double& x : value) x += stream.laplace(scale_);
  return release_;
}

ReleasePointer ConcentratedLaplace::protect(std::span<double> value, SecureRandom& random) const {
  bound_value(terms_, Norm::kL2, value);
  const GridPlan plan = plan_grid(terms_, Norm::kL2, value.size());
  const ExactRatio scale{noise_steps(plan, multiplier()), 1};
  for (double& x : value) x = plan.grid.value(index_of(plan, x), discrete_laplace(random, scale));
  return protected_release(value.size());
}

/// A coordinate that moves by k steps under discrete Laplace noise of scale s is k/s-DP: the same bound.
ReleasePointer ConcentratedLaplace::protected_release(std::size_t dimension) const {
  const GridPlan plan = plan_grid(terms_, Norm::kL2, dimension);
  return concentrated(static_cast<double>(noise_steps(plan, multiplier())) / plan.sensitivity);
}

double ConcentratedLaplace::noise_deviation(std::size_t) const {
  return std::numbers::sqrt2 * scale_;
}

PrivacyStatement ConcentratedLaplace::statement(std::size_t releases) const {
  PrivacyStatement statement = statement_of_run(terms_);
  const double rho = static_cast<double>(releases) / (2 * multiplier() * multiplier());
  statement.epsilon = concentrated_epsilon(rho, delta_).epsilon;
  statement.delta = delta_;
  statement.definition = "(epsilon, delta)-local differential privacy of the whole run";
  statement.assumptions.insert(
      statement.assumptions.begin(),
      "zero-concentrated composition of " + std::to_string(releases) + " Laplace releases bounded in L2");
  return statement;
}

}  // namespace earshot
