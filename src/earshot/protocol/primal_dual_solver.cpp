#include "earshot/protocol/primal_dual_solver.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace earshot {
namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}
void add(std::span<double> to, double factor, std::span<const double> what) {
  for (std::size_t k = 0; k < to.size(); ++k) to[k] += factor * what[k];
}

/// Where the slope of a convex function on a line changes sign: steps that were too short, and too long.
struct Bracket {
  double low = 0, low_slope = 0;
  double high = std::numeric_limits<double>::infinity(), high_slope = 0;

  double next() const {
    if (std::isinf(high)) return low == 0 ? 1 : 4 * low;
    const double middle = low + (high - low) / 2;
    if (!std::isfinite(high_slope)) return middle;
    // The secant's zero, kept away from the ends, which it may approach from one side for ever.
    const double zero = low + (high - low) * low_slope / (low_slope - high_slope);
    const double margin = 0.05 * (high - low);
    return std::clamp(zero, low + margin, high - margin);
  }
};

}  // namespace

GradientSolver::GradientSolver(std::size_t size)
    : gradient_(size),
      next_gradient_(size),
      next_x_(size),
      direction_(size),
      steps_(kPairs, std::vector<double>(size)),
      changes_(kPairs, std::vector<double>(size)),
      products_(kPairs) {}

bool GradientSolver::minimise(const GradientOracle& gradient, double curvature, double tolerance,
                              std::size_t evaluations, std::span<double> x) {
  pairs_ = 0;
  gradient(x, gradient_);
  while (!(std::sqrt(dot(gradient_, gradient_)) <= tolerance)) {
    choose_direction(curvature);
    if (!search(gradient, evaluations, x)) return false;
    remember(x);
    std::ranges::copy(next_x_, x.begin());
    std::swap(gradient_, next_gradient_);
  }
  return true;
}

void GradientSolver::choose_direction(double curvature) {
  for (std::size_t k = 0; k < direction_.size(); ++k) direction_[k] = -gradient_[k];
  if (pairs_ == 0) {
    for (double& value : direction_) value /= curvature;
    return;
  }
  std::array<double, kPairs> weights{};
  for (std::size_t age = 0; age < pairs_; ++age) {
    const std::size_t i = (oldest_ + pairs_ - 1 - age) % kPairs;
    weights[i] = dot(steps_[i], direction_) / products_[i];
    add(direction_, -weights[i], changes_[i]);
  }
  const std::size_t newest = (oldest_ + pairs_ - 1) % kPairs;
  const double scale = products_[newest] / dot(changes_[newest], changes_[newest]);
  for (double& value : direction_) value *= scale;
  for (std::size_t age = pairs_; age-- > 0;) {
    const std::size_t i = (oldest_ + pairs_ - 1 - age) % kPairs;
    add(direction_, weights[i] - dot(changes_[i], direction_) / products_[i], steps_[i]);
  }
}

bool GradientSolver::search(const GradientOracle& gradient, std::size_t& evaluations, std::span<double> x) {
  Bracket bracket;
  const double start = dot(gradient_, direction_);
  bracket.low_slope = start;
  while (evaluations > 0) {
    --evaluations;
    const double step = bracket.next();
    std::ranges::copy(x, next_x_.begin());
    add(next_x_, step, direction_);
    gradient(next_x_, next_gradient_);
    const double slope = dot(next_gradient_, direction_);
    if (std::abs(slope) <= 0.5 * std::abs(start)) return true;
    if (slope < 0) {
      bracket.low = step;
      bracket.low_slope = slope;
    } else {
      bracket.high = step;
      bracket.high_slope = slope;
    }
  }
  return false;
}

void GradientSolver::remember(std::span<const double> x) {
  const std::size_t i = (oldest_ + pairs_) % kPairs;
  for (std::size_t k = 0; k < direction_.size(); ++k) {
    steps_[i][k] = next_x_[k] - x[k];
    changes_[i][k] = next_gradient_[k] - gradient_[k];
  }
  products_[i] = dot(steps_[i], changes_[i]);
  // The slope rose along the step; without that (rounding, a loss that is not convex) the memory misleads.
  if (!(products_[i] > 0)) {
    pairs_ = 0;
  } else if (pairs_ < kPairs) {
    ++pairs_;
  } else {
    oldest_ = (oldest_ + 1) % kPairs;
  }
}

}  // namespace earshot
