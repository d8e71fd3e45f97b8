#include "earshot/protocol/primal_dual_update.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

constexpr std::size_t kEvaluations = 2000;

/// scale * gradient of the mean loss; 0 without records or budget.
void loss_gradient(const Subproblem& problem, std::span<double> state, std::span<double> out) {
  if (problem.learner == nullptr || !problem.learner->gradient(state, out)) {
    std::ranges::fill(out, 0.0);
    return;
  }
  for (double& value : out) value *= problem.scale;
}

}  // namespace

PrimalUpdater::Bench::Bench(std::size_t parameters, bool with_solver)
    : linear(parameters), gradient(parameters) {
  if (with_solver) solver = std::make_unique<GradientSolver>(parameters);
}

PrimalUpdater::PrimalUpdater(const PrimalUpdateOptions& options, std::size_t parameters)
    : options_(options), parameters_(parameters) {}

std::unique_ptr<PrimalUpdater::Bench> PrimalUpdater::take_bench() {
  const std::lock_guard lock(lock_);
  if (idle_.empty()) return std::make_unique<Bench>(parameters_, options_.kind == PrimalUpdate::kExact);
  std::unique_ptr<Bench> bench = std::move(idle_.back());
  idle_.pop_back();
  return bench;
}

void PrimalUpdater::update(const Subproblem& problem,
                           const std::function<void(std::span<double>)>& write_linear,
                           std::span<double> state) {
  std::unique_ptr<Bench> bench = take_bench();
  write_linear(bench->linear);
  const bool protects = problem.learner != nullptr && !problem.learner->exhausted() &&
                        problem.learner->protection().scope == ProtectedScope::kUpdate;
  if (protects) bench->before.assign(state.begin(), state.end());
  move(problem, *bench, state);
  if (protects) {
    const std::span<double> w = state.first(parameters_);
    for (std::size_t k = 0; k < parameters_; ++k) w[k] -= bench->before[k];
    if (problem.learner->protect_update(w)) {
      for (std::size_t k = 0; k < parameters_; ++k) w[k] += bench->before[k];
    } else {
      std::ranges::copy(bench->before, state.begin());
      move({nullptr, problem.scale, problem.curvature}, *bench, state);
    }
  }
  const std::lock_guard lock(lock_);
  idle_.push_back(std::move(bench));
}

void PrimalUpdater::move(const Subproblem& problem, Bench& bench, std::span<double> state) const {
  switch (options_.kind) {
    case PrimalUpdate::kExact:
      return solve(problem, bench, state);
    case PrimalUpdate::kGradient:
      return descend(problem, bench, state);
    case PrimalUpdate::kQuadratic:
      return take_parabola(problem, bench, state);
  }
}

void PrimalUpdater::solve(const Subproblem& problem, Bench& bench, std::span<double> state) const {
  const std::span<double> w = state.first(parameters_);
  if (problem.learner == nullptr || problem.learner->exhausted()) {
    for (std::size_t k = 0; k < parameters_; ++k) w[k] = -bench.linear[k] / problem.curvature;
    return;
  }
  bench.state.assign(state.begin(), state.end());
  const auto oracle = [&](std::span<const double> at, std::span<double> out) {
    std::ranges::copy(at, bench.state.begin());
    loss_gradient(problem, bench.state, out);
    for (std::size_t k = 0; k < parameters_; ++k) {
      out[k] += bench.linear[k] + problem.curvature * at[k];
    }
  };
  const double length =
      std::sqrt(std::inner_product(bench.linear.begin(), bench.linear.end(), bench.linear.begin(), 0.0));
  if (!bench.solver->minimise(oracle, problem.curvature, options_.tolerance * (1 + length), kEvaluations,
                              w)) {
    fail(Fault::kNumeric, fmt::format("no exact update within {} gradients; raise protocol.tolerance, or set "
                                      "protocol.update to \"gradient\" or \"quadratic\"",
                                      kEvaluations));
  }
  std::copy(bench.state.begin() + static_cast<std::ptrdiff_t>(parameters_), bench.state.end(),
            state.begin() + static_cast<std::ptrdiff_t>(parameters_));
}

void PrimalUpdater::descend(const Subproblem& problem, Bench& bench, std::span<double> state) const {
  for (std::size_t step = 0; step < options_.k_max; ++step) {
    loss_gradient(problem, state, bench.gradient);
    for (std::size_t k = 0; k < parameters_; ++k) {
      state[k] -= options_.alpha * (bench.gradient[k] + bench.linear[k] + problem.curvature * state[k]);
    }
  }
}

/// w <- (mu w - grad f(w) - linear) / (mu + curvature).
void PrimalUpdater::take_parabola(const Subproblem& problem, Bench& bench, std::span<double> state) const {
  loss_gradient(problem, state, bench.gradient);
  const double mu = options_.mu;
  for (std::size_t k = 0; k < parameters_; ++k) {
    state[k] = (mu * state[k] - bench.gradient[k] - bench.linear[k]) / (mu + problem.curvature);
  }
}

}  // namespace earshot
