// The granularity grid on which protected values are released: multiples of a power of two.
#pragma once

#include <cstddef>
#include <cstdint>

#include "earshot/mechanism/mechanism.hpp"

namespace earshot {

/// Multiples of 2^exponent. Beyond 2^61 steps values saturate, which never moves two values further apart,
/// so that no input, however large, makes a release fail and thereby betray itself.
struct Grid {
  int exponent = 0;

  double step() const;
  std::int64_t nearest(double value) const;
  std::int64_t toward_zero(double value) const;
  /// index + noise as a number; exact below 2^53 steps, and rounded after the noise was added above.
  double value(std::int64_t index, std::int64_t noise) const;
};

/// The grid whose step is 2^-bits of `length`, rounded down to a power of two.
Grid grid_below(double length, int bits);

/// How vectors of one dimension are put on a grid, and how far apart neighbours lie on it afterwards.
///
/// Clipped vectors are rounded toward zero: no coordinate grows, the norm stays within the clip, and the
/// sensitivity is what it was. Vectors whose sensitivity is a promise are rounded to the nearest point; each
/// coordinate of the difference can grow by up to one step, so the sensitivity grows by `dimension` steps in
/// L1 and by sqrt(dimension) steps in L2, and the grid is made finer with the dimension to keep that below
/// 2^-20 of it.
struct GridPlan {
  Grid grid;
  bool toward_zero = false;
  double sensitivity = 0;  // in steps
};
GridPlan plan_grid(const MechanismTerms& terms, Norm norm, std::size_t dimension);

std::int64_t index_of(const GridPlan& plan, double value);

/// Noise of `multiplier` times the sensitivity in whole steps, rounded up so that it is never less.
std::uint64_t noise_steps(const GridPlan& plan, double multiplier);

}  // namespace earshot
