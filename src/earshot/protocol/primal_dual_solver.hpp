// Minimises a smooth strongly convex function known by its gradient only.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace earshot {

/// Writes the gradient at a point.
using GradientOracle = std::function<void(std::span<const double> at, std::span<double> out)>;

/// L-BFGS (Nocedal 1980) with a line search on the slope alone: private losses are not to be asked for their
/// value. Memory for one problem of this size at a time; nothing is allocated after construction.
class GradientSolver {
 public:
  explicit GradientSolver(std::size_t size);

  /// From `x`, until the gradient is no longer than `tolerance`; false when `evaluations` gradients were not
  /// enough. `curvature` is a positive lower bound or guess of the second derivative, for the first step.
  bool minimise(const GradientOracle& gradient, double curvature, double tolerance, std::size_t evaluations,
                std::span<double> x);

 private:
  void choose_direction(double curvature);
  /// Moves along the direction to where the slope is at most half of what it was; false when out of budget.
  bool search(const GradientOracle& gradient, std::size_t& evaluations, std::span<double> x);
  void remember(std::span<const double> x);

  static constexpr std::size_t kPairs = 10;
  std::vector<double> gradient_, next_gradient_, next_x_, direction_;
  std::vector<std::vector<double>> steps_, changes_;  // s and y, oldest first from `oldest_`
  std::vector<double> products_;                      // <s, y>
  std::size_t oldest_ = 0;
  std::size_t pairs_ = 0;
};

}  // namespace earshot
