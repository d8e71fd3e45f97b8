#include "earshot/accounting/pld_accountant.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "earshot/accounting/basic_curves.hpp"
#include "earshot/accounting/gaussian_curve.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

/// Part of delta that may be lost to windows and ends of grids, per place.
constexpr double kNegligibleShare = 2e-5;
/// Grid points per standard deviation of one loss; the bounds tighten with its square.
constexpr double kPointsPerDeviation = 50;
/// The composed loss gets at least and at most this many points, one release at most that many.
constexpr double kFewestPoints = 1 << 13;
constexpr double kMostPoints = 1 << 20;
constexpr double kMostPointsPerRelease = 1 << 17;

/// Twice the Kullback-Leibler divergence (by a Renyi divergence of order near 1) is the variance of a small
/// loss and its right order of magnitude always. When some outcomes give everything away, the others count.
double loss_variance(const PrivacyCurve& curve) {
  const double divergence = curve.renyi(1.01);
  if (std::isfinite(divergence)) return 2 * divergence;
  const LossRange range = loss_range(curve, Direction::kRemove, 1e-3);
  const double width = range.highest - range.lowest;
  return width * width / 16;
}

std::vector<Direction> directions(bool symmetric) {
  if (symmetric) return {Direction::kRemove};
  return {Direction::kRemove, Direction::kAdd};
}

}  // namespace

void PldAccountant::add_curve(const std::string& text, const MakeCurve& make, std::uint64_t count) {
  const auto known = others_.find(text);
  if (known != others_.end()) {
    known->second.count += count;
    return;
  }
  const auto curve = make();
  if (const auto* gaussian = dynamic_cast<const GaussianCurve*>(curve.get())) {
    gaussian_mu_squared_ += static_cast<double>(count) * gaussian->mu() * gaussian->mu();
    return;
  }
  curve->largest_loss();  // refuses curves that are known by their Renyi divergence only
  Part& part = others_[text.empty() ? fmt::format("curve at {}", fmt::ptr(curve.get())) : text];
  part.curve = curve;
  part.count += count;
}

std::vector<PldAccountant::Part> PldAccountant::parts() const {
  std::vector<Part> all;
  for (const auto& [text, part] : others_) {
    if (loss_variance(*part.curve) > 0) all.push_back(part);
  }
  if (gaussian_mu_squared_ > 0)
    all.push_back({std::make_shared<GaussianCurve>(std::sqrt(gaussian_mu_squared_)), 1});
  return all;
}

ComposedLoss PldAccountant::composed(const std::vector<Part>& parts, Direction direction, double negligible,
                                     Bound bound) const {
  double releases = 0;
  double variance = 0;
  for (const Part& part : parts) {
    releases += static_cast<double>(part.count);
    variance += static_cast<double>(part.count) * loss_variance(*part.curve);
  }
  std::vector<LossRange> ranges;
  double widest = 0;
  for (const Part& part : parts) {
    ranges.push_back(loss_range(*part.curve, direction, negligible / releases));
    widest = std::max(widest, ranges.back().highest - ranges.back().lowest);
  }
  const double window = 16 * std::sqrt(variance);
  double step = std::min(std::sqrt(variance / releases) / kPointsPerDeviation, window / kFewestPoints);
  step = std::max({step, widest / kMostPointsPerRelease, window / kMostPoints});
  // A loss that ends in an atom is represented exactly when the atom lies on the grid.
  const double largest = parts.front().curve->largest_loss();
  if (parts.size() == 1 && std::isfinite(largest)) step = largest / std::ceil(largest / step);

  std::vector<LossPart> losses;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    losses.push_back({discretise(*parts[i].curve, direction, step, ranges[i], bound), parts[i].count});
  }
  return compose(losses, negligible);
}

double PldAccountant::epsilon_bound(const std::vector<Part>& parts, double delta, Bound bound) const {
  const bool symmetric = std::ranges::all_of(parts, [](const Part& p) { return p.curve->symmetric(); });
  double worst = 0;
  for (const Direction direction : directions(symmetric)) {
    const ComposedLoss loss = composed(parts, direction, kNegligibleShare * delta, bound);
    const double target = bound == Bound::kUpper ? delta - loss.slack : delta + loss.slack;
    if (target <= 0) {
      fail(Fault::kNumeric,
           fmt::format("delta {:g} is below what {} arithmetic can resolve here; account by RDP", delta,
                       "double-precision FFT"));
    }
    worst = std::max(worst, target >= 1 ? 0 : epsilon_of(loss.distribution, target));
  }
  return worst;
}

PldAccountant::Interval PldAccountant::epsilon_bounds(double delta) const {
  if (others_.empty()) {
    const double exact = gaussian_epsilon(std::sqrt(gaussian_mu_squared_), delta);
    return {exact, exact};
  }
  const std::vector<Part> all = parts();
  if (all.empty()) return {0, 0};
  return {epsilon_bound(all, delta, Bound::kLower), epsilon_bound(all, delta, Bound::kUpper)};
}

double PldAccountant::private_epsilon(double delta) const {
  if (others_.empty()) return gaussian_epsilon(std::sqrt(gaussian_mu_squared_), delta);
  const std::vector<Part> all = parts();
  return all.empty() ? 0 : epsilon_bound(all, delta, Bound::kUpper);
}

double PldAccountant::private_delta(double epsilon) const {
  if (others_.empty()) return gaussian_delta(std::sqrt(gaussian_mu_squared_), epsilon);
  const std::vector<Part> all = parts();
  if (all.empty()) return 0;
  const bool symmetric = std::ranges::all_of(all, [](const Part& p) { return p.curve->symmetric(); });
  double worst = 0;
  for (const Direction direction : directions(symmetric)) {
    const ComposedLoss loss = composed(all, direction, 1e-15, Bound::kUpper);
    worst = std::max(worst, std::min(1.0, delta_of(loss.distribution, epsilon) + loss.slack));
  }
  return worst;
}

std::string PldAccountant::method(double delta) const {
  const Interval bounds = epsilon_bounds(delta);
  if (bounds.lower == bounds.upper) return "exact composition of Gaussian releases (Dong, Roth & Su 2022)";
  return fmt::format("privacy-loss distributions, true epsilon between {:.6g} and {:.6g}", bounds.lower,
                     bounds.upper);
}

}  // namespace earshot
