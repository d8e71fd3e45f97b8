#include "earshot/accounting/loss_distribution.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <unsupported/Eigen/FFT>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRoundoff = 0x1.0p-53;
/// Stands for infinity where a curve has to be evaluated.
constexpr double kLargestLoss = 1e12;
/// 2^24 doubles are 128 MB; a grid finer than that answers nothing better.
constexpr std::size_t kLargestGrid = std::size_t{1} << 24;

double weighted(double epsilon, double tail) {
  return tail == 0 ? 0 : std::exp(epsilon + std::log(tail));
}

/// P[loss > epsilon].
double loss_tail(const PrivacyCurve& curve, Direction direction, double epsilon) {
  return curve.delta(direction, epsilon) + weighted(epsilon, curve.reference_tail(direction, epsilon));
}

/// Smallest x on a doubling-then-bisecting search with holds(x); holds is monotone and true far enough out.
template <class Predicate>
double first_where(Predicate holds, double limit) {
  if (holds(0.0)) return 0;
  double low = 0;
  double high = 1e-6;
  while (!holds(high)) {
    low = high;
    high *= 2;
    if (high >= limit) return limit;
  }
  while (high - low > 0.01 * high) {
    const double middle = 0.5 * (low + high);
    (holds(middle) ? high : low) = middle;
  }
  return high;
}

/// Slopes -d delta / d gamma of the chords between grid points; entry i belongs to the chord that ends at
/// grid point i >= 1.
std::vector<double> chord_slopes(const PrivacyCurve& curve, Direction direction, double step,
                                 std::int64_t first, std::size_t points) {
  std::vector<double> slope(points + 1, 0.0);
  const double shrink = -std::expm1(-step);
  double left = curve.delta(direction, step * static_cast<double>(first));
  for (std::size_t i = 1; i < points; ++i) {
    const double epsilon = step * static_cast<double>(first + static_cast<std::int64_t>(i));
    const double right = curve.delta(direction, epsilon);
    const double drop = left - right;  // over a width of e^epsilon (1 - e^-step)
    slope[i] = drop <= 0 ? 0 : std::exp(-epsilon + std::log(drop / shrink));
    left = right;
  }
  // Rounding must not make a convex curve bend the wrong way.
  for (std::size_t i = points - 1; i-- > 1;) slope[i] = std::max(slope[i], slope[i + 1]);
  return slope;
}

LossDistribution discretise_above(const PrivacyCurve& curve, Direction direction, double step,
                                  std::int64_t first, std::size_t points) {
  LossDistribution out{step, first, std::vector<double>(points, 0.0), 0};
  const std::vector<double> slope = chord_slopes(curve, direction, step, first, points);
  double total = 0;
  for (std::size_t i = 1; i < points; ++i) {
    out.mass[i] = weighted(out.loss(i), slope[i] - slope[i + 1]);
    total += out.mass[i];
  }
  out.infinite = curve.delta(direction, out.loss(points - 1));
  out.mass[0] = std::max(0.0, 1 - total - out.infinite);  // everything lower counts as the lowest loss
  return out;
}

/// Slope of the line through (from, height), a point on or below the curve (as a function of gamma =
/// e^epsilon), that touches the curve to the right of it.
double touching_slope(const PrivacyCurve& curve, Direction direction, double from, double height,
                      double step) {
  // Height at `from` of the tangent touching at `at`; it falls as `at` moves right.
  const auto tangent_height = [&](double at) {
    return curve.delta(direction, at) +
           weighted(at, curve.reference_tail(direction, at)) * -std::expm1(from - at);
  };
  // Where the curve is a straight line all its tangents are one: go to the line's end.
  const auto touches_further = [&](double at) { return tangent_height(at) > height * (1 - 1e-13); };
  double low = from;
  double high = from + 4 * step;
  if (touches_further(high)) return curve.reference_tail(direction, high);  // parallel, and lower
  for (int i = 0; i < 26; ++i) {
    const double middle = 0.5 * (low + high);
    (touches_further(middle) ? low : high) = middle;
  }
  // At a kink the line through it is between the tangents on either side.
  const double rise = height - curve.delta(direction, high);
  const double through = rise <= 0 ? 0 : std::exp(std::log(rise / -std::expm1(from - high)) - high);
  return std::clamp(through, curve.reference_tail(direction, high), curve.reference_tail(direction, low));
}

LossDistribution discretise_below(const PrivacyCurve& curve, Direction direction, double step,
                                  std::int64_t first, std::size_t points) {
  LossDistribution out{step, first, std::vector<double>(points, 0.0), 0};
  double slope = curve.reference_tail(direction, out.loss(0) - step);
  double height = curve.delta(direction, out.loss(0) - step);  // of the current line, at grid point i
  double at = out.loss(0) - step;
  double total = 0;
  for (std::size_t i = 0; i < points; ++i) {
    const double epsilon = out.loss(i);
    height = height - weighted(epsilon, slope) * -std::expm1(at - epsilon);
    at = epsilon;
    double next = 0;
    if (height > 0 && i + 1 < points) {
      next = std::min(slope, touching_slope(curve, direction, epsilon, height, step));
      // A line that would fall below zero before the next grid point ends here: the rest is given away.
      if (weighted(epsilon + step, next) * -std::expm1(-step) > height * (1 + 1e-12)) next = 0;
    }
    out.mass[i] = weighted(epsilon, slope - next);
    total += out.mass[i];
    slope = next;
    if (slope == 0) break;
  }
  if (total > 1) {
    for (double& mass : out.mass) mass /= total;
  }
  return out;
}

/// log E[e^(lambda loss)] of the finite part.
double log_moment(const LossDistribution& distribution, double lambda) {
  // Horner's rule from the far end: no exponential per grid point. The end must carry mass, or the sum could
  // underflow to nothing.
  const double ratio = std::exp(-std::abs(lambda) * distribution.step);
  const auto& mass = distribution.mass;
  const auto occupied = [](double m) { return m > 0; };
  double sum = 0;
  if (lambda >= 0) {
    const auto end = std::find_if(mass.rbegin(), mass.rend(), occupied);
    for (auto m = mass.begin(); m != end.base(); ++m) sum = sum * ratio + *m;
    return lambda * distribution.loss(static_cast<std::size_t>(mass.rend() - end) - 1) + std::log(sum);
  }
  const auto begin = std::find_if(mass.begin(), mass.end(), occupied);
  for (auto m = mass.rbegin(); m.base() != begin; ++m) sum = sum * ratio + *m;
  return lambda * distribution.loss(static_cast<std::size_t>(begin - mass.begin())) + std::log(sum);
}

/// Largest (sign = +1) or smallest (sign = -1) total loss that occurs with more than `negligible`
/// probability, by Chernoff's bound.
double chernoff_end(const std::vector<LossPart>& parts, double negligible, double sign, double deviation) {
  double best = kInfinity;
  for (int i = -8; i <= 24; ++i) {
    const double lambda = std::exp2(i / 2.0) / deviation;
    double total = -std::log(negligible);
    for (const LossPart& part : parts)
      total += static_cast<double>(part.count) * log_moment(part.distribution, sign * lambda);
    best = std::min(best, total / lambda);
  }
  return sign * best;
}

using Spectrum = std::vector<std::complex<double>>;

Spectrum transform(Eigen::FFT<double>& fft, const LossDistribution& distribution, std::size_t size) {
  std::vector<double> wrapped(size, 0.0);
  const auto period = static_cast<std::int64_t>(size);
  for (std::size_t i = 0; i < distribution.mass.size(); ++i) {
    const std::int64_t index = (distribution.first + static_cast<std::int64_t>(i)) % period;
    wrapped[static_cast<std::size_t>(index < 0 ? index + period : index)] += distribution.mass[i];
  }
  Spectrum spectrum;
  fft.fwd(spectrum, wrapped);
  return spectrum;
}

/// product *= spectrum^count.
void multiply_power(Spectrum& product, const Spectrum& spectrum, std::uint64_t count) {
  const auto power = static_cast<double>(count);
  for (std::size_t i = 0; i < product.size(); ++i) {
    const double modulus = std::abs(spectrum[i]);
    if (modulus == 0) {
      product[i] = 0;
      continue;
    }
    const double scaled = std::exp(power * std::log(modulus));
    if (scaled < 1e-300) {
      product[i] = 0;
    } else {
      product[i] *= std::polar(scaled, power * std::arg(spectrum[i]));
    }
  }
}

}  // namespace

LossRange loss_range(const PrivacyCurve& curve, Direction direction, double negligible) {
  const double limit = std::min(curve.largest_loss(), kLargestLoss);
  const double atom = curve.delta(direction, kLargestLoss);  // outcomes that occur on one side only
  const double highest = first_where(
      [&](double epsilon) { return curve.delta(direction, epsilon) <= atom + negligible; }, limit);
  // Probabilities near 1 are known to a few units of rounding.
  const double lowest = -first_where(
      [&](double epsilon) {
        return 1 - loss_tail(curve, direction, -epsilon) <= std::max(negligible, 1e-14);
      },
      limit);
  return {lowest, highest};
}

LossDistribution discretise(const PrivacyCurve& curve, Direction direction, double step, LossRange range,
                            Bound bound) {
  const auto first = static_cast<std::int64_t>(std::floor(range.lowest / step)) - 1;
  const auto last = static_cast<std::int64_t>(std::ceil(range.highest / step)) + 1;
  const auto points = static_cast<std::size_t>(last - first + 1);
  if (points > kLargestGrid) fail(Fault::kNumeric, "the grid of privacy losses would be too fine to compute");
  return bound == Bound::kUpper ? discretise_above(curve, direction, step, first, points)
                                : discretise_below(curve, direction, step, first, points);
}

LossMoments moments(const LossDistribution& distribution) {
  double total = 0;
  double first = 0;
  double second = 0;
  for (std::size_t i = 0; i < distribution.mass.size(); ++i) {
    const double loss = distribution.loss(i);
    total += distribution.mass[i];
    first += distribution.mass[i] * loss;
    second += distribution.mass[i] * loss * loss;
  }
  const double mean = first / total;
  return {mean, std::max(0.0, second / total - mean * mean)};
}

ComposedLoss compose(const std::vector<LossPart>& parts, double negligible) {
  const double step = parts.front().distribution.step;
  double variance = 0;
  double log_finite = 0;
  double releases = 0;
  for (const LossPart& part : parts) {
    variance += static_cast<double>(part.count) * moments(part.distribution).variance;
    log_finite += static_cast<double>(part.count) * std::log1p(-part.distribution.infinite);
    releases += static_cast<double>(part.count);
  }
  const double deviation = std::max(std::sqrt(variance), step);
  const double lowest = chernoff_end(parts, negligible, -1, deviation);
  const double highest = chernoff_end(parts, negligible, 1, deviation);
  const auto first = static_cast<std::int64_t>(std::floor(lowest / step)) - 1;
  const auto last = static_cast<std::int64_t>(std::ceil(highest / step)) + 1;
  const std::size_t size = std::bit_ceil(static_cast<std::size_t>(last - first + 1));
  if (size > kLargestGrid) fail(Fault::kNumeric, "the grid of privacy losses would be too fine to compute");

  Eigen::FFT<double> fft;
  fft.SetFlag(Eigen::FFT<double>::HalfSpectrum);
  Spectrum product(size / 2 + 1, 1.0);
  for (const LossPart& part : parts)
    multiply_power(product, transform(fft, part.distribution, size), part.count);
  std::vector<double> wrapped;
  fft.inv(wrapped, product, static_cast<Eigen::Index>(size));

  ComposedLoss out;
  out.distribution = {step, first, std::vector<double>(size), -std::expm1(log_finite)};
  const auto period = static_cast<std::int64_t>(size);
  double norm = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::int64_t index = (first + static_cast<std::int64_t>(i)) % period;
    const double value = wrapped[static_cast<std::size_t>(index < 0 ? index + period : index)];
    out.distribution.mass[i] = std::max(0.0, value);
    norm += value * value;
  }
  // Mass that left the window on either side reappears inside it; the FFT's error is relative to the
  // 2-norm and grows with the power.
  const double rounding = std::sqrt(static_cast<double>(size) * norm) * kRoundoff *
                          std::log2(static_cast<double>(size)) * (1 + releases);
  out.slack = 2 * negligible + rounding;
  return out;
}

double delta_of(const LossDistribution& distribution, double epsilon) {
  double sum = distribution.infinite;
  for (std::size_t i = distribution.mass.size(); i-- > 0 && distribution.loss(i) > epsilon;)
    sum += distribution.mass[i] * -std::expm1(epsilon - distribution.loss(i));
  return std::min(1.0, sum);
}

double epsilon_of(const LossDistribution& distribution, double delta) {
  if (distribution.infinite > delta) return kInfinity;
  // At grid point i: delta = upper - discounted, with the mass above it and the same discounted by
  // e^(loss_i - loss).
  const double decay = std::exp(-distribution.step);
  double upper = distribution.infinite;
  double discounted = 0;
  // On the cell that starts at `loss`, delta = upper - e^(epsilon - loss) discounted.
  const auto crossing = [&](double loss) {
    return std::max(0.0, loss + std::log((upper - delta) / discounted));
  };
  for (std::size_t i = distribution.mass.size(); i-- > 0;) {
    if (upper - discounted > delta) return crossing(distribution.loss(i));
    if (distribution.loss(i) <= 0) return 0;
    upper += distribution.mass[i];
    discounted = decay * (discounted + distribution.mass[i]);
  }
  return upper > delta ? crossing(distribution.loss(0) - distribution.step) : 0;
}

}  // namespace earshot
