// Privacy-loss distributions on a grid: rigorous bounds from above and below, composed by FFT.
#pragma once

#include <cstdint>
#include <vector>

#include "earshot/accounting/privacy_curve.hpp"

namespace earshot {

/// Distribution of the privacy loss under P on the grid step * (first + i); what is missing from 1 has loss
/// -infinity, `infinite` has loss +infinity.
struct LossDistribution {
  double step = 0;
  std::int64_t first = 0;
  std::vector<double> mass;
  double infinite = 0;

  double loss(std::size_t i) const {
    return step * static_cast<double>(first + static_cast<std::int64_t>(i));
  }
};

/// Which side of the truth a discretisation stays on.
enum class Bound { kUpper, kLower };

/// Smallest and largest loss worth representing: beyond them the curve differs from its limits by less than
/// `negligible`.
struct LossRange {
  double lowest;
  double highest;
};
LossRange loss_range(const PrivacyCurve& curve, Direction direction, double negligible);

/// The curve as a distribution on the grid of `step`.
/// kUpper: chords of delta as a function of e^epsilon between grid points, hence above it everywhere
/// ("connect the dots", Doroshenko, Ghazi, Kamath, Kumar & Manurangsi 2022, section 4).
/// kLower: tangents that meet on grid points, hence below it everywhere (ibid., section 6).
LossDistribution discretise(const PrivacyCurve& curve, Direction direction, double step, LossRange range,
                            Bound bound);

struct LossPart {
  LossDistribution distribution;
  std::uint64_t count = 1;
};

/// Sum of independent losses, `count` of each part, all on one grid, with what the computation could not
/// represent: `slack` bounds the mass outside the window and the rounding of the FFT.
struct ComposedLoss {
  LossDistribution distribution;
  double slack = 0;
};
ComposedLoss compose(const std::vector<LossPart>& parts, double negligible);

/// E[(1 - e^(epsilon - loss))^+]: the hockey-stick divergence of the distribution.
double delta_of(const LossDistribution& distribution, double epsilon);
/// Smallest epsilon >= 0 with delta_of <= delta; infinite if the infinite mass alone exceeds it.
double epsilon_of(const LossDistribution& distribution, double delta);

/// Mean and variance of the finite losses.
struct LossMoments {
  double mean = 0;
  double variance = 0;
};
LossMoments moments(const LossDistribution& distribution);

}  // namespace earshot
