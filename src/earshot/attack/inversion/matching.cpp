#include "earshot/attack/inversion/matching.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

/// Sums value(difference) and writes slope(difference), each times its weight.
template <class Real, class Value, class Slope>
double sum_over(const Matching& matching, std::span<const Real> observed, std::span<const Real> predicted,
                std::span<Real> direction, Value value, Slope slope) {
  double sum = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const Real weight = matching.weights.empty() ? Real{1} : static_cast<Real>(matching.weights[i]);
    const Real difference = predicted[i] - observed[i];
    sum += static_cast<double>(weight * value(difference));
    direction[i] = weight * slope(difference);
  }
  return sum;
}

/// factor * sum (p - o)^2: the inner loop of most attacks, so without weights it has its own.
template <class Real>
double squares(std::span<const Real> observed, std::span<const Real> predicted, std::span<Real> direction,
               double factor) {
  constexpr std::size_t kLanes = 8;  // sums of their own: a single one would wait for itself
  std::array<Real, kLanes> sums{};
  const auto twice = static_cast<Real>(2 * factor);
  const std::size_t whole = predicted.size() / kLanes * kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const Real difference = predicted[i + lane] - observed[i + lane];
      sums[lane] += difference * difference;
      direction[i + lane] = twice * difference;
    }
  }
  double sum = 0;
  for (std::size_t i = whole; i < predicted.size(); ++i) {
    const Real difference = predicted[i] - observed[i];
    sum += static_cast<double>(difference * difference);
    direction[i] = twice * difference;
  }
  for (const Real lane : sums) sum += static_cast<double>(lane);
  return factor * sum;
}

template <class Real>
double cosine(const Matching& matching, std::span<const Real> observed, std::span<const Real> predicted,
              std::span<Real> direction) {
  double product = 0;
  double predicted_square = 0;
  double observed_square = 0;
  const auto weight = [&](std::size_t i) { return matching.weights.empty() ? 1.0 : matching.weights[i]; };
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const auto p = static_cast<double>(predicted[i]);
    const auto o = static_cast<double>(observed[i]);
    product += weight(i) * p * o;
    predicted_square += weight(i) * p * p;
    observed_square += weight(i) * o * o;
  }
  const double lengths = std::sqrt(predicted_square) * std::sqrt(observed_square);
  if (!(lengths > 0)) {  // no direction to compare: as if at a right angle
    std::ranges::fill(direction, Real{0});
    return 1;
  }
  const double similarity = product / lengths;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    direction[i] =
        static_cast<Real>(weight(i) * (similarity / predicted_square * static_cast<double>(predicted[i]) -
                                       static_cast<double>(observed[i]) / lengths));
  }
  return 1 - similarity;
}

template <class Real>
double laplace(const Matching& matching, std::span<const Real> observed, std::span<const Real> predicted,
               std::span<Real> direction) {
  const auto inverse = static_cast<Real>(1 / matching.scale);
  const auto corner = static_cast<Real>(1e-3 * matching.scale);
  return sum_over(
      matching, observed, predicted, direction,
      [&](Real d) { return inverse * (std::sqrt(d * d + corner * corner) - corner); },
      [&](Real d) { return inverse * d / std::sqrt(d * d + corner * corner); });
}

template <class Real>
double quantised(const Matching& matching, std::span<const Real> observed, std::span<const Real> predicted,
                 std::span<Real> direction) {
  const auto half = static_cast<Real>(matching.scale / 2);
  const auto beyond = [half](Real d) { return d > half ? d - half : d < -half ? d + half : Real{0}; };
  return sum_over(
      matching, observed, predicted, direction, [&](Real d) { return beyond(d) * beyond(d); },
      [&](Real d) { return 2 * beyond(d); });
}

template <class Real>
double weighted_squares(const Matching& matching, std::span<const Real> observed,
                        std::span<const Real> predicted, std::span<Real> direction, double factor) {
  if (matching.weights.empty()) return squares(observed, predicted, direction, factor);
  const auto f = static_cast<Real>(factor);
  return sum_over(
      matching, observed, predicted, direction, [f](Real d) { return f * d * d; },
      [f](Real d) { return 2 * f * d; });
}

}  // namespace

void require_valid(const Matching& matching, std::size_t size) {
  if (!(matching.scale > 0) || !std::isfinite(matching.scale))
    fail(Fault::kConfig, "the scale of the noise, or the cell of the quantiser, must be positive");
  if (matching.weights.empty()) return;
  if (matching.weights.size() != size) {
    fail(Fault::kConfig,
         fmt::format("{} weights were given for a gradient of {} numbers", matching.weights.size(), size));
  }
  double sum = 0;
  for (const double weight : matching.weights) {
    if (!(weight >= 0) || !std::isfinite(weight))
      fail(Fault::kConfig, "weights must be finite and not negative");
    sum += weight;
  }
  if (sum == 0) fail(Fault::kConfig, "all weights are zero: nothing would be matched");
}

std::vector<double> layer_weights(const Architecture& architecture, std::span<const double> by_layer) {
  std::vector<double> out;
  std::size_t next = 0;
  for (const PlacedLayer& layer : place(architecture)) {
    if (layer.parameter_count == 0) continue;
    if (next < by_layer.size()) out.insert(out.end(), layer.parameter_count, by_layer[next]);
    ++next;
  }
  if (next != by_layer.size()) {
    fail(Fault::kConfig, fmt::format("the network has {} layers with parameters, {} weights were given", next,
                                     by_layer.size()));
  }
  return out;
}

std::optional<double> factor_of_squares(const Matching& matching) {
  if (!matching.weights.empty()) return std::nullopt;
  if (matching.kind == MatchingKind::kSquared) return 1.0;
  if (matching.kind == MatchingKind::kGaussian) return 0.5 / (matching.scale * matching.scale);
  return std::nullopt;
}

template <class Real>
double compare(const Matching& matching, std::span<const Real> observed, std::span<const Real> predicted,
               std::span<Real> direction) {
  switch (matching.kind) {
    case MatchingKind::kSquared:
      return weighted_squares(matching, observed, predicted, direction, 1.0);
    case MatchingKind::kGaussian:
      return weighted_squares(matching, observed, predicted, direction,
                              0.5 / (matching.scale * matching.scale));
    case MatchingKind::kCosine:
      return cosine(matching, observed, predicted, direction);
    case MatchingKind::kLaplace:
      return laplace(matching, observed, predicted, direction);
    case MatchingKind::kQuantised:
      return quantised(matching, observed, predicted, direction);
  }
  fail(Fault::kInternal, "unknown matching");
}

template double compare(const Matching&, std::span<const float>, std::span<const float>, std::span<float>);
template double compare(const Matching&, std::span<const double>, std::span<const double>, std::span<double>);

}  // namespace earshot
