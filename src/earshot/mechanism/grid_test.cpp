#include "earshot/mechanism/grid.hpp"

#include <cmath>
#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

TEST(Grid, RoundsAsItsNameSays) {
  const Grid grid{-2};
  EXPECT_EQ(grid.step(), 0.25);
  EXPECT_EQ(grid.nearest(0.9), 4);
  EXPECT_EQ(grid.nearest(-0.9), -4);
  EXPECT_EQ(grid.toward_zero(0.9), 3);
  EXPECT_EQ(grid.toward_zero(-0.9), -3);
  EXPECT_EQ(grid.value(3, -5), -0.5);
}

TEST(Grid, HugeValuesSaturateInsteadOfFailing) {
  const Grid grid{-20};
  EXPECT_EQ(grid.nearest(1e300), std::int64_t{1} << 61);
  EXPECT_EQ(grid.toward_zero(-1e308), -(std::int64_t{1} << 61));
  EXPECT_GT(grid.value(std::int64_t{1} << 61, INT64_MAX), 0);
  EXPECT_LT(grid.value(-(std::int64_t{1} << 61), INT64_MIN), 0);
}

TEST(Grid, StepIsAPowerOfTwoBelowTheLength) {
  for (const double length : {1e-100, 0.3, 1.0, 7.0, 1e50}) {
    const double step = grid_below(length, 20).step();
    EXPECT_LE(step * 0x1p20, length);
    EXPECT_GT(step * 0x1p21, length);
  }
  EXPECT_THROW(grid_below(std::nan(""), 20), Error);
  EXPECT_THROW(grid_below(0, 20), Error);
}

/// Random neighbours within the promised or clipped distance never lie further apart on the grid than
/// planned.
TEST(GridPlan, RoundingNeverExceedsThePlannedSensitivity) {
  Stream stream({1});
  for (const bool clips : {false, true}) {
    for (const Norm norm : {Norm::kL1, Norm::kL2}) {
      for (int repetition = 0; repetition < 300; ++repetition) {
        const std::size_t dimension = 1 + stream.below(30);
        const double bound = std::exp(3 * stream.normal());
        const MechanismTerms terms = clips ? clipped_terms(norm, bound, Adjacency::kReplace, "a record")
                                           : promised_terms(norm, bound, Adjacency::kReplace, "a record");
        const GridPlan plan = plan_grid(terms, norm, dimension);
        std::vector<double> a(dimension), b(dimension);
        for (std::size_t i = 0; i < dimension; ++i) {
          a[i] = stream.normal();
          b[i] = -a[i];
        }
        if (clips) {
          clip(norm, bound, a);
          clip(norm, bound, b);
        } else {
          std::vector<double> move(dimension);
          stream.fill_normal(move, 10 * bound);
          clip(norm, bound, move);
          for (std::size_t i = 0; i < dimension; ++i) b[i] = a[i] + move[i] * (1 - 1e-12);
        }
        std::vector<double> difference(dimension);
        for (std::size_t i = 0; i < dimension; ++i)
          difference[i] = static_cast<double>(index_of(plan, a[i]) - index_of(plan, b[i]));
        EXPECT_LE(norm_of(norm, difference), plan.sensitivity);
        EXPECT_LE(plan.sensitivity * plan.grid.step(), terms.sensitivity * (1 + 0x1p-19));
      }
    }
  }
}

/// A tiny difference can become a whole step in every coordinate at once: the surcharge is needed.
TEST(GridPlan, TheRoundingSurchargeIsReached) {
  const GridPlan plan =
      plan_grid(promised_terms(Norm::kL1, 1, Adjacency::kReplace, "a record"), Norm::kL1, 4);
  const double step = plan.grid.step();
  std::int64_t apart = 0;
  for (int i = 0; i < 4; ++i) {
    const double below = std::nextafter(0.5 * step, 0.0);
    const double above = below + 0.25 + 1e-9 * step;  // 1/4 per coordinate, 1 in total
    apart += plan.grid.nearest(above) - plan.grid.nearest(below);
  }
  EXPECT_GT(static_cast<double>(apart), 1 / step);
  EXPECT_EQ(static_cast<double>(apart), plan.sensitivity);
}

TEST(GridPlan, NoiseIsNeverLessThanAskedFor) {
  Stream stream({2});
  for (int repetition = 0; repetition < 1000; ++repetition) {
    const GridPlan plan{{0}, false, std::floor(1 + 1e6 * stream.uniform())};
    const double multiplier = std::exp(2 * stream.normal());
    EXPECT_GE(static_cast<double>(noise_steps(plan, multiplier)) / plan.sensitivity, multiplier);
  }
  EXPECT_THROW(noise_steps({{0}, false, 1e10}, 1e10), Error);
  EXPECT_THROW(plan_grid(promised_terms(Norm::kL1, 1, Adjacency::kReplace, "a"), Norm::kL1, 0), Error);
}

}  // namespace
}  // namespace earshot
