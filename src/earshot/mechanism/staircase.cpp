#include "earshot/mechanism/staircase.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "earshot/core/error.hpp"
#include "earshot/mechanism/exact_samplers.hpp"
#include "earshot/mechanism/grid.hpp"

namespace earshot {
namespace {

void require_one_number(std::size_t dimension) {
  if (dimension != 1)
    fail(Fault::kConfig, "the staircase mechanism releases one number at a time; use laplace for vectors");
}

}  // namespace

double staircase_gamma(double epsilon, StaircaseCost cost) {
  require_positive(epsilon, "epsilon");
  if (cost == StaircaseCost::kMagnitude) return 1 / (1 + std::exp(epsilon / 2));
  const double b = std::exp(-epsilon);
  const double c = -std::expm1(-epsilon);  // 1 - b
  // (b - 2 b^2 + 2 b^4 - b^5) = b (1 - b)^3 (1 + b): the factored form has no cancellation at small epsilon.
  return (std::cbrt(b * (1 + b) / 2) - b) / c;
}

StaircaseMechanism::StaircaseMechanism(MechanismTerms terms, double epsilon, StaircaseCost cost)
    : terms_(std::move(terms)), epsilon_(epsilon), gamma_(staircase_gamma(epsilon, cost)) {
  require_norm(terms_, Norm::kL1, "staircase");
  release_ = make_release(PureRelease{"staircase", epsilon});
}

ReleasePointer StaircaseMechanism::simulate(std::span<double> value, Stream& stream) const {
  require_one_number(value.size());
  bound_value(terms_, Norm::kL1, value);
  // Geng & Viswanath 2014, Algorithm 1.
  const bool negative = (stream.bits() & 1U) != 0;
  const double stair = std::floor(stream.exponential() / epsilon_);
  const double high = gamma_ / (gamma_ + (1 - gamma_) * std::exp(-epsilon_));
  const bool on_tread = stream.uniform() < high;
  const double within = on_tread ? gamma_ * stream.uniform() : gamma_ + (1 - gamma_) * stream.uniform();
  const double noise = terms_.sensitivity * (stair + within);
  value[0] += negative ? -noise : noise;
  return release_;
}

ReleasePointer StaircaseMechanism::protect(std::span<double> value, SecureRandom& random) const {
  require_one_number(value.size());
  bound_value(terms_, Norm::kL1, value);
  const GridPlan plan = plan_grid(terms_, Norm::kL1, 1);
  const auto period = static_cast<std::uint64_t>(plan.sensitivity);
  const auto tread = static_cast<std::uint64_t>(gamma_ * plan.sensitivity);
  const std::int64_t noise =
      discrete_staircase(random, exact_ratio(epsilon_), period, std::clamp<std::uint64_t>(tread, 1, period));
  value[0] = plan.grid.value(index_of(plan, value[0]), noise);
  return release_;
}

ReleasePointer StaircaseMechanism::protected_release(std::size_t dimension) const {
  require_one_number(dimension);
  return release_;
}

double StaircaseMechanism::noise_deviation(std::size_t dimension) const {
  require_one_number(dimension);
  // E(stair + within)^2 with stair geometric and independent of within.
  const double b = std::exp(-epsilon_);
  const double c = -std::expm1(-epsilon_);
  const double stair = b / c;
  const double stair_square = b * (1 + b) / (c * c);
  const double weight = gamma_ + (1 - gamma_) * b;
  const double g = gamma_;
  const double within = (g * g + b * (1 - g * g)) / (2 * weight);
  const double within_square = (g * g * g + b * (1 - g * g * g)) / (3 * weight);
  return terms_.sensitivity * std::sqrt(stair_square + 2 * stair * within + within_square);
}

PrivacyStatement StaircaseMechanism::statement(std::size_t releases) const {
  PrivacyStatement statement = statement_of_run(terms_);
  statement.epsilon = static_cast<double>(releases) * epsilon_;
  statement.definition = "epsilon-local differential privacy of the whole run";
  statement.assumptions.insert(statement.assumptions.begin(),
                               "basic composition of " + std::to_string(releases) + " staircase releases");
  return statement;
}

}  // namespace earshot
