#include "earshot/mechanism/laplace.hpp"

#include <numbers>
#include <utility>

#include "earshot/core/error.hpp"
#include "earshot/mechanism/exact_samplers.hpp"
#include "earshot/mechanism/grid.hpp"

namespace earshot {

LaplaceMechanism::LaplaceMechanism(MechanismTerms terms, double scale)
    : terms_(std::move(terms)), scale_(require_positive(scale, "the noise scale")) {
  require_norm(terms_, Norm::kL1, "laplace");
  release_ = make_release(LaplaceRelease{multiplier()});
}

LaplaceMechanism LaplaceMechanism::calibrated(const MechanismTerms& terms, double epsilon,
                                              std::size_t releases) {
  if (releases == 0) fail(Fault::kConfig, "noise cannot be calibrated for zero releases");
  require_positive(epsilon, "epsilon");
  return {terms, static_cast<double>(releases) * terms.sensitivity / epsilon};
}

ReleasePointer LaplaceMechanism::simulate(std::span<double> value, Stream& stream) const {
  bound_value(terms_, Norm::kL1, value);
  for (double& x : value) x += stream.laplace(scale_);
  return release_;
}

ReleasePointer LaplaceMechanism::protect(std::span<double> value, SecureRandom& random) const {
  bound_value(terms_, Norm::kL1, value);
  const GridPlan plan = plan_grid(terms_, Norm::kL1, value.size());
  const ExactRatio scale{noise_steps(plan, multiplier()), 1};
  for (double& x : value) x = plan.grid.value(index_of(plan, x), discrete_laplace(random, scale));
  return protected_release(value.size());
}

ReleasePointer LaplaceMechanism::protected_release(std::size_t dimension) const {
  const GridPlan plan = plan_grid(terms_, Norm::kL1, dimension);
  return make_release(DiscreteLaplaceRelease{static_cast<double>(noise_steps(plan, multiplier())),
                                             static_cast<std::uint64_t>(plan.sensitivity)});
}

double LaplaceMechanism::noise_deviation(std::size_t) const {
  return std::numbers::sqrt2 * scale_;
}

PrivacyStatement LaplaceMechanism::statement(std::size_t releases) const {
  PrivacyStatement statement = statement_of_run(terms_);
  statement.epsilon = static_cast<double>(releases) / multiplier();
  statement.definition = "epsilon-local differential privacy of the whole run";
  statement.assumptions.insert(statement.assumptions.begin(),
                               "basic composition of " + std::to_string(releases) + " Laplace releases");
  return statement;
}

}  // namespace earshot
