#include "earshot/accounting/conversion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void require_delta(double delta) {
  if (!(delta > 0 && delta < 1)) fail(Fault::kConfig, "delta must lie strictly between 0 and 1");
}

double classic(double order, double renyi, double delta) {
  return std::max(0.0, renyi - std::log(delta) / (order - 1));
}

double improved(double order, double renyi, double delta) {
  return std::max(0.0, renyi + std::log1p(-1 / order) - (std::log(delta) + std::log(order)) / (order - 1));
}

/// Is there a pair of two-point distributions (p, 1-p), (q, 1-q) with p - e^epsilon q = delta and Renyi
/// divergence at most `renyi`? Pairs of that kind reach every point on the boundary (Asoodeh et al. 2021).
/// The divergence is convex in q along that line, so its least value is found by golden section on ln q.
bool attainable(double order, double renyi, double delta, double epsilon) {
  const double highest = std::log1p(-delta) - epsilon;  // p = 1
  const auto log_moment = [&](double log_q) {
    const double grown = std::exp(epsilon + log_q);
    const double p = std::min(1.0, delta + grown);
    const double first = order * std::log(p) - (order - 1) * log_q;
    const double rest = 1 - delta - grown;
    if (rest <= 0) return first;
    const double second = order * std::log(rest) - (order - 1) * std::log1p(-std::exp(log_q));
    const double high = std::max(first, second);
    return high + std::log1p(std::exp(std::min(first, second) - high));
  };
  constexpr double kGolden = 0.6180339887498949;
  double low = highest - 60;
  double high = highest;
  double a = high - kGolden * (high - low);
  double b = low + kGolden * (high - low);
  double at_a = log_moment(a);
  double at_b = log_moment(b);
  for (int step = 0; step < 80; ++step) {
    if (at_a < at_b) {
      high = b;
      b = a;
      at_b = at_a;
      a = high - kGolden * (high - low);
      at_a = log_moment(a);
    } else {
      low = a;
      a = b;
      at_a = at_b;
      b = low + kGolden * (high - low);
      at_b = log_moment(b);
    }
  }
  return std::min(at_a, at_b) <= (order - 1) * renyi;
}

double optimal(double order, double renyi, double delta) {
  double high = improved(order, renyi, delta);
  if (high == 0 || !std::isfinite(high)) return high;
  if (!attainable(order, renyi, delta, 0)) return 0;
  double low = 0;
  while (high - low > 1e-10 * high) {
    const double middle = 0.5 * (low + high);
    (attainable(order, renyi, delta, middle) ? low : high) = middle;
  }
  return high;
}

}  // namespace

double epsilon_from_renyi(double order, double renyi, double delta, RenyiConversion conversion) {
  require_delta(delta);
  switch (conversion) {
    case RenyiConversion::kClassic:
      return classic(order, renyi, delta);
    case RenyiConversion::kImproved:
      return improved(order, renyi, delta);
    case RenyiConversion::kOptimal:
      return optimal(order, renyi, delta);
  }
  fail(Fault::kInternal, "no such conversion");
}

double log_delta_from_renyi(double order, double renyi, double epsilon) {
  return (order - 1) * (renyi - epsilon + std::log1p(-1 / order)) - std::log(order);
}

BestOrder best_epsilon(std::span<const double> orders, std::span<const double> renyi, double delta,
                       RenyiConversion conversion) {
  require_delta(delta);
  const RenyiConversion screening =
      conversion == RenyiConversion::kOptimal ? RenyiConversion::kImproved : conversion;
  std::vector<BestOrder> candidates;
  for (std::size_t i = 0; i < orders.size(); ++i)
    candidates.push_back({epsilon_from_renyi(orders[i], renyi[i], delta, screening), orders[i]});
  const auto best = std::ranges::min_element(candidates, {}, &BestOrder::epsilon);
  if (conversion != RenyiConversion::kOptimal || !std::isfinite(best->epsilon)) return *best;
  // The optimal conversion gains most near the best order of the improved one.
  const auto centre = static_cast<std::size_t>(best - candidates.begin());
  BestOrder winner{kInfinity, best->order};
  for (std::size_t i = centre < 2 ? 0 : centre - 2; i < std::min(orders.size(), centre + 3); ++i) {
    const double epsilon = optimal(orders[i], renyi[i], delta);
    if (epsilon < winner.epsilon) winner = {epsilon, orders[i]};
  }
  return winner;
}

BestOrder concentrated_epsilon(double rho, double delta) {
  require_delta(delta);
  if (rho == 0) return {0, 2};
  if (!std::isfinite(rho)) return {kInfinity, 2};
  // The improved conversion is unimodal in ln(a-1); the classic optimum 1 + sqrt(ln(1/delta)/rho) is near.
  const auto epsilon_at = [&](double log_excess) {
    const double order = 1 + std::exp(log_excess);
    return improved(order, rho * order, delta);
  };
  const double start = 0.5 * (std::log(-std::log(delta)) - std::log(rho));
  double low = start - 6;
  double high = start + 6;
  for (int step = 0; step < 200; ++step) {
    const double a = low + (high - low) / 3;
    const double b = high - (high - low) / 3;
    (epsilon_at(a) < epsilon_at(b) ? high : low) = epsilon_at(a) < epsilon_at(b) ? b : a;
  }
  const double order = 1 + std::exp(0.5 * (low + high));
  return {improved(order, rho * order, delta), order};
}

}  // namespace earshot
