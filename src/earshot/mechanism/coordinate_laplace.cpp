#include "earshot/mechanism/coordinate_laplace.hpp"

#include <numbers>
#include <utility>

#include "earshot/mechanism/exact_samplers.hpp"

namespace earshot {

CoordinateLaplace::CoordinateLaplace(MechanismTerms terms, Norm norm, double scale, const char* name)
    : terms_(std::move(terms)), norm_(norm), scale_(require_positive(scale, "the noise scale")) {
  require_norm(terms_, norm_, name);
}

ReleasePointer CoordinateLaplace::simulate(std::span<double> value, Stream& stream) const {
  bound_value(terms_, norm_, value);
  for (double& x : value) x += stream.laplace(scale_);
  return release();
}

ReleasePointer CoordinateLaplace::protect(std::span<double> value, SecureRandom& random) const {
  bound_value(terms_, norm_, value);
  const GridPlan grid_plan = plan(value.size());
  const ExactRatio scale{noise_steps(grid_plan, multiplier()), 1};
  for (double& x : value) x = grid_plan.grid.value(index_of(grid_plan, x), discrete_laplace(random, scale));
  return protected_release(value.size());
}

double CoordinateLaplace::noise_deviation(std::size_t) const {
  return std::numbers::sqrt2 * scale_;
}

}  // namespace earshot
