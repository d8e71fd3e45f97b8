#include "earshot/accounting/basic_curves.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include <fmt/format.h>

#include "earshot/accounting/gaussian_curve.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double log_add(double a, double b) {
  const double high = std::max(a, b);
  if (high == -kInfinity) return high;
  return high + std::log1p(std::exp(std::min(a, b) - high));
}

/// log E_Q[(P/Q)^order] over finitely many outcomes.
double log_moment(const std::vector<double>& p, const std::vector<double>& q, double order) {
  double sum = -kInfinity;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] == 0) continue;
    if (q[i] == 0) return kInfinity;
    sum = log_add(sum, order * std::log(p[i]) - (order - 1) * std::log(q[i]));
  }
  return sum;
}

}  // namespace

// ---- Gaussian

double GaussianCurve::delta(Direction, double epsilon) const {
  return gaussian_delta(mu_, epsilon);
}

double GaussianCurve::reference_tail(Direction, double epsilon) const {
  return 0.5 * std::erfc((epsilon / mu_ + mu_ / 2) / std::numbers::sqrt2);
}

double GaussianCurve::largest_loss() const {
  return kInfinity;
}

// ---- Laplace

double LaplaceCurve::delta(Direction, double epsilon) const {
  if (epsilon >= shift_) return 0;
  if (epsilon <= -shift_) return -std::expm1(epsilon);
  return -std::expm1((epsilon - shift_) / 2);
}

double LaplaceCurve::reference_tail(Direction, double epsilon) const {
  if (epsilon >= shift_) return 0;
  if (epsilon < -shift_) return 1;
  return 0.5 * std::exp(-(epsilon + shift_) / 2);
}

double LaplaceCurve::renyi(double order) const {
  const double up = std::log(order / (2 * order - 1)) + (order - 1) * shift_;
  const double down = std::log((order - 1) / (2 * order - 1)) - order * shift_;
  return std::max(0.0, log_add(up, down) / (order - 1));
}

// ---- discrete Laplace

DiscreteLaplaceCurve::DiscreteLaplaceCurve(double scale, std::uint64_t sensitivity)
    : scale_(scale), sensitivity_(static_cast<double>(sensitivity)) {}

double DiscreteLaplaceCurve::last_outcome_above(double epsilon) const {
  // Losses are (sensitivity - 2k) / scale for k = 0 ... sensitivity.
  const double k = std::ceil((sensitivity_ - epsilon * scale_) / 2) - 1;
  return std::clamp(k, 0.0, sensitivity_ - 1);
}

double DiscreteLaplaceCurve::delta(Direction, double epsilon) const {
  if (epsilon >= largest_loss()) return 0;
  if (epsilon < -largest_loss()) return -std::expm1(epsilon);
  const double k = last_outcome_above(epsilon);
  const double log_normaliser = std::log1p(std::exp(-1 / scale_));
  const double first = 1 - std::exp(-(k + 1) / scale_ - log_normaliser);  // P[noise <= k]
  const double log_second = epsilon - (sensitivity_ - k) / scale_ - log_normaliser;
  return std::max(0.0, first - std::exp(log_second));
}

double DiscreteLaplaceCurve::reference_tail(Direction, double epsilon) const {
  if (epsilon >= largest_loss()) return 0;
  if (epsilon < -largest_loss()) return 1;
  const double k = last_outcome_above(epsilon);
  return std::exp(-(sensitivity_ - k) / scale_ - std::log1p(std::exp(-1 / scale_)));
}

double DiscreteLaplaceCurve::renyi(double order) const {
  const double a = 1 / scale_;  // probabilities fall by e^-a per step
  const double reach = (order - 1) * sensitivity_ * a;
  const double log_normaliser = std::log1p(std::exp(-a));
  double sum = log_add(reach, -sensitivity_ * a - reach);
  if (sensitivity_ > 1) {  // the outcomes in between: a geometric series
    const double ratio = (2 * order - 1) * a;
    const double series =
        -ratio + std::log(-std::expm1(-ratio * (sensitivity_ - 1))) - std::log(-std::expm1(-ratio));
    sum = log_add(sum, std::log(-std::expm1(-a)) + reach + series);
  }
  return std::max(0.0, (sum - log_normaliser) / (order - 1));
}

std::optional<double> DiscreteLaplaceCurve::concentrated() const {
  return largest_loss() * largest_loss() / 2;
}

// ---- discrete Gaussian

DiscreteGaussianCurve::DiscreteGaussianCurve(double sigma, std::uint64_t sensitivity)
    : sigma_(sigma), sensitivity_(static_cast<double>(sensitivity)) {
  // Beyond 38.5 sigma a probability is below the smallest double.
  const auto reach = static_cast<std::size_t>(std::ceil(38.5 * sigma)) + 1;
  lower_tail_.assign(reach + 1, 0.0);
  double tail = 0;
  for (std::size_t k = reach; k-- > 0;) {
    const auto x = static_cast<double>(k);
    tail += std::exp(-x * x / (2 * sigma * sigma));
    lower_tail_[k] = tail;
  }
  const double total = 2 * lower_tail_[0] - 1;
  for (double& value : lower_tail_) value /= total;
}

double DiscreteGaussianCurve::distribution(double k) const {
  const auto last = static_cast<double>(lower_tail_.size() - 1);
  if (k <= 0) return -k > last ? 0 : lower_tail_[static_cast<std::size_t>(-k)];
  return k + 1 > last ? 1 : 1 - lower_tail_[static_cast<std::size_t>(k) + 1];
}

double DiscreteGaussianCurve::last_outcome_above(double epsilon) const {
  // The loss of outcome k is (sensitivity^2 - 2 k sensitivity) / (2 sigma^2).
  return std::ceil(sensitivity_ / 2 - epsilon * sigma_ * sigma_ / sensitivity_) - 1;
}

double DiscreteGaussianCurve::delta(Direction, double epsilon) const {
  const double k = last_outcome_above(epsilon);
  const double second = distribution(k - sensitivity_);
  if (second == 0) return distribution(k);
  return std::max(0.0, distribution(k) - std::exp(epsilon + std::log(second)));
}

double DiscreteGaussianCurve::reference_tail(Direction, double epsilon) const {
  return distribution(last_outcome_above(epsilon) - sensitivity_);
}

std::optional<double> DiscreteGaussianCurve::concentrated() const {
  return sensitivity_ * sensitivity_ / (2 * sigma_ * sigma_);
}

double DiscreteGaussianCurve::largest_loss() const {
  return kInfinity;
}

// ---- finitely many outcomes

FinitePairCurve::Side FinitePairCurve::sorted(const std::vector<double>& first,
                                              const std::vector<double>& second) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] > 0 || second[i] > 0) order.push_back(i);
  }
  const auto loss = [&](std::size_t i) {
    return second[i] == 0 ? kInfinity : std::log(first[i]) - std::log(second[i]);
  };
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return loss(a) > loss(b); });
  Side side;
  double first_sum = 0;
  double second_sum = 0;
  for (const std::size_t i : order) {
    side.loss.push_back(loss(i));
    side.first_sum.push_back(first_sum += first[i]);
    side.second_sum.push_back(second_sum += second[i]);
  }
  return side;
}

std::size_t FinitePairCurve::Side::above(double epsilon) const {
  return static_cast<std::size_t>(std::ranges::partition_point(loss, [&](double l) { return l > epsilon; }) -
                                  loss.begin());
}

FinitePairCurve::FinitePairCurve(std::string name, std::vector<double> p, std::vector<double> q)
    : name_(std::move(name)),
      p_(std::move(p)),
      q_(std::move(q)),
      remove_(sorted(p_, q_)),
      add_(sorted(q_, p_)),
      symmetric_(remove_.loss == add_.loss && remove_.first_sum == add_.first_sum &&
                 remove_.second_sum == add_.second_sum) {}

double FinitePairCurve::delta(Direction direction, double epsilon) const {
  const Side& s = side(direction);
  const std::size_t count = s.above(epsilon);
  if (count == 0) return 0;
  const double second = s.second_sum[count - 1];
  const double weighted = second == 0 ? 0 : std::exp(epsilon + std::log(second));
  return std::clamp(s.first_sum[count - 1] - weighted, 0.0, 1.0);
}

double FinitePairCurve::reference_tail(Direction direction, double epsilon) const {
  const Side& s = side(direction);
  const std::size_t count = s.above(epsilon);
  return count == 0 ? 0 : s.second_sum[count - 1];
}

double FinitePairCurve::renyi(double order) const {
  return std::max({0.0, log_moment(p_, q_, order) / (order - 1), log_moment(q_, p_, order) / (order - 1)});
}

double FinitePairCurve::largest_loss() const {
  return std::max({0.0, remove_.loss.front(), add_.loss.front()});
}

std::optional<double> FinitePairCurve::concentrated() const {
  const double loss = largest_loss();
  if (!std::isfinite(loss)) return std::nullopt;
  return loss * loss / 2;
}

// ---- known by its Renyi divergence only

void ConcentratedCurve::refuse() const {
  fail(Fault::kConfig, fmt::format("{} is known by its Renyi divergence only: account it by RDP or zCDP, or "
                                   "give its privacy curve",
                                   name_));
}

// ---- a curve through given points

namespace {

struct Vertex {
  double gamma;  // e^epsilon
  double delta;
};

/// Both halves of the curve: what holds at epsilon > 0 in one direction says what holds at -epsilon in the
/// other.
std::vector<Vertex> both_halves(const CurveRelease& points) {
  std::vector<Vertex> vertices = {{0, 1}};
  for (std::size_t i = points.epsilon.size(); i-- > 0;) {
    if (points.epsilon[i] == 0) continue;
    const double gamma = std::exp(-points.epsilon[i]);
    vertices.push_back({gamma, 1 - gamma + gamma * points.delta[i]});
  }
  for (std::size_t i = 0; i < points.epsilon.size(); ++i)
    vertices.push_back({std::exp(points.epsilon[i]), points.delta[i]});
  return vertices;
}

/// Greatest convex function below the vertices; a true curve is convex, so it stays below that one too.
std::vector<Vertex> lower_hull(const std::vector<Vertex>& vertices) {
  std::vector<Vertex> hull;
  for (const Vertex& next : vertices) {
    while (hull.size() >= 2) {
      const Vertex& a = hull[hull.size() - 2];
      const Vertex& b = hull.back();
      if ((b.delta - a.delta) * (next.gamma - a.gamma) < (next.delta - a.delta) * (b.gamma - a.gamma)) break;
      hull.pop_back();
    }
    hull.push_back(next);
  }
  return hull;
}

}  // namespace

FinitePairCurve curve_through(const CurveRelease& points) {
  const std::vector<Vertex> hull = lower_hull(both_halves(points));
  std::vector<double> p = {hull.back().delta};
  std::vector<double> q = {0.0};
  double tail = 0;  // mass of q beyond the vertex
  for (std::size_t i = hull.size() - 1; i > 0; --i) {
    const double slope = (hull[i - 1].delta - hull[i].delta) / (hull[i].gamma - hull[i - 1].gamma);
    const double mass = std::max(0.0, slope - tail);
    tail += mass;
    q.push_back(mass);
    p.push_back(hull[i].gamma * mass);
  }
  p.push_back(0.0);
  q.push_back(std::max(0.0, 1 - tail));
  const double excess = std::accumulate(p.begin(), p.end(), 0.0);  // 1 up to rounding
  for (double& value : p) value /= excess;
  return {points.name, std::move(p), std::move(q)};
}

}  // namespace earshot
