#include "earshot/mechanism/laplace.hpp"

#include <utility>

#include "earshot/core/error.hpp"

namespace earshot {

LaplaceMechanism::LaplaceMechanism(MechanismTerms terms, double scale)
    : CoordinateLaplace(std::move(terms), Norm::kL1, scale, "laplace") {
  release_ = make_release(LaplaceRelease{multiplier()});
}

LaplaceMechanism LaplaceMechanism::calibrated(const MechanismTerms& terms, double epsilon,
                                              std::size_t releases) {
  if (releases == 0) fail(Fault::kConfig, "noise cannot be calibrated for zero releases");
  require_positive(epsilon, "epsilon");
  return {terms, static_cast<double>(releases) * terms.sensitivity / epsilon};
}

ReleasePointer LaplaceMechanism::protected_release(std::size_t dimension) const {
  const GridPlan grid = plan(dimension);
  return make_release(DiscreteLaplaceRelease{static_cast<double>(noise_steps(grid, multiplier())),
                                             static_cast<std::uint64_t>(grid.sensitivity)});
}

PrivacyStatement LaplaceMechanism::statement(std::size_t releases) const {
  PrivacyStatement statement = statement_of_run(terms());
  statement.epsilon = static_cast<double>(releases) / multiplier();
  statement.definition = "epsilon-local differential privacy of the whole run";
  statement.assumptions.insert(statement.assumptions.begin(),
                               "basic composition of " + std::to_string(releases) + " Laplace releases");
  return statement;
}

}  // namespace earshot
