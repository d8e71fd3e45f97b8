#include "earshot/mechanism/grid.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

constexpr double kMostSteps = 0x1p61;
constexpr int kBitsBelowSensitivity = 20;

std::int64_t saturated(double steps) {
  return static_cast<std::int64_t>(std::clamp(steps, -kMostSteps, kMostSteps));
}

}  // namespace

double Grid::step() const {
  return std::ldexp(1.0, exponent);
}

std::int64_t Grid::nearest(double value) const {
  return saturated(std::nearbyint(std::ldexp(value, -exponent)));
}

std::int64_t Grid::toward_zero(double value) const {
  return saturated(std::trunc(std::ldexp(value, -exponent)));
}

double Grid::value(std::int64_t index, std::int64_t noise) const {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(index, noise, &sum)) {
    sum = noise > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
  }
  return std::ldexp(static_cast<double>(sum), exponent);
}

Grid grid_below(double length, int bits) {
  if (!(length >= 1e-200 && length <= 1e200))
    fail(Fault::kConfig, "a sensitivity or noise scale must lie between 1e-200 and 1e200 to choose a grid");
  return {std::ilogb(length) - bits};
}

GridPlan plan_grid(const MechanismTerms& terms, Norm norm, std::size_t dimension) {
  if (dimension == 0) fail(Fault::kData, "a value to be protected must have at least one coordinate");
  if (terms.clip) {
    const Grid grid = grid_below(terms.sensitivity, kBitsBelowSensitivity);
    // In L1 the norm on the grid is a whole number, so the fraction of the last step cannot be used.
    const double clip_steps = std::ldexp(*terms.clip, -grid.exponent);
    const double usable = norm == Norm::kL1 ? std::floor(clip_steps) : clip_steps;
    return {grid, true, usable * (terms.sensitivity / *terms.clip)};
  }
  const int dimension_bits = static_cast<int>(std::bit_width(dimension - 1));
  const int finer = norm == Norm::kL1 ? dimension_bits : (dimension_bits + 1) / 2;
  const Grid grid = grid_below(terms.sensitivity, kBitsBelowSensitivity + finer);
  const double steps = std::ldexp(terms.sensitivity, -grid.exponent);
  const auto coordinates = static_cast<double>(dimension);
  if (norm == Norm::kL1) return {grid, false, std::floor(steps) + coordinates};
  return {grid, false, std::nextafter(steps + std::sqrt(coordinates), HUGE_VAL)};
}

std::int64_t index_of(const GridPlan& plan, double value) {
  return plan.toward_zero ? plan.grid.toward_zero(value) : plan.grid.nearest(value);
}

std::uint64_t noise_steps(const GridPlan& plan, double multiplier) {
  double steps = std::ceil(multiplier * plan.sensitivity);
  if (steps / plan.sensitivity < multiplier) ++steps;
  if (!(steps <= 0x1p56))
    fail(Fault::kConfig,
         "noise this far above the sensitivity cannot be drawn exactly on one grid; use less");
  return static_cast<std::uint64_t>(std::max(steps, 1.0));
}

}  // namespace earshot
