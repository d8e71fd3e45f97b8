#include "earshot/mechanism/concentrated_laplace.hpp"

#include <utility>

#include "earshot/accounting/conversion.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

ReleasePointer concentrated(double multiplier) {
  return make_release(
      ConcentratedRelease{"Laplace noise on a value bounded in L2", 1 / (2 * multiplier * multiplier)});
}

}  // namespace

ConcentratedLaplace::ConcentratedLaplace(MechanismTerms terms, double scale, double delta)
    : CoordinateLaplace(std::move(terms), Norm::kL2, scale, "concentrated_laplace"), delta_(delta) {
  if (!(delta > 0 && delta < 1)) fail(Fault::kConfig, "delta must lie strictly between 0 and 1");
  release_ = concentrated(multiplier());
}

/// A coordinate that moves by k steps under discrete Laplace noise of scale s is k/s-DP: the same bound.
ReleasePointer ConcentratedLaplace::protected_release(std::size_t dimension) const {
  const GridPlan grid = plan(dimension);
  return concentrated(static_cast<double>(noise_steps(grid, multiplier())) / grid.sensitivity);
}

PrivacyStatement ConcentratedLaplace::statement(std::size_t releases) const {
  PrivacyStatement statement = statement_of_run(terms());
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
