#include "earshot/accounting/sampled_curves.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <boost/math/quadrature/gauss_kronrod.hpp>

#include "earshot/accounting/basic_curves.hpp"
#include "earshot/accounting/gaussian_curve.hpp"

namespace earshot {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// ln(1 + (e^epsilon - 1) / rate): the base's epsilon that a sample turns into `epsilon`; -infinity when
/// there is none. Far out e^epsilon overflows long before the answer does.
double before_sampling(double epsilon, double rate) {
  if (epsilon > 700) return epsilon - std::log(rate);
  const double x = std::expm1(epsilon) / rate;
  return x <= -1 ? -kInfinity : std::log1p(x);
}

/// The mirror: ln(e^epsilon rate / (1 - e^epsilon (1 - rate))), +infinity when the sample cannot lose that
/// much.
double before_sampling_mirrored(double epsilon, double rate) {
  const double x = std::expm1(epsilon) * (1 - rate) / rate;
  return x >= 1 ? kInfinity : epsilon - std::log1p(-x);
}

/// A sum of terms given by logarithm and sign, the largest term kept outside.
class SignedLogSum {
 public:
  void add(double log_term, bool negative) {
    if (log_term == -kInfinity) return;
    if (log_term > scale_) {
      sum_ *= std::exp(scale_ - log_term);
      scale_ = log_term;
    }
    const double term = std::exp(log_term - scale_);
    sum_ += negative ? -term : term;
  }
  double log() const { return sum_ <= 0 ? -kInfinity : scale_ + std::log(sum_); }

 private:
  double scale_ = -kInfinity;
  double sum_ = 0;
};

/// log E[((1-q) + q e^((2z-1)/(2 sigma^2)))^order], z ~ N(0, sigma^2), by the binomial theorem.
double log_moment_whole_order(double q, double sigma, int order) {
  const double log_in = std::log(q);
  const double log_out = std::log1p(-q);
  SignedLogSum sum;
  double log_binomial = 0;
  for (int k = 0; k <= order; ++k) {
    if (k > 0) log_binomial += std::log(static_cast<double>(order - k + 1) / k);
    sum.add(log_binomial + (order - k) * log_out + k * log_in +
                (static_cast<double>(k) * k - k) / (2 * sigma * sigma),
            false);
  }
  return sum.log();
}

/// The same for a fractional order: the binomial series converges on either side of the point z0 where both
/// terms are equal, so the integral is split there. Terms first grow, then alternate and fall.
double log_moment_fractional_order(double q, double sigma, double order) {
  const double variance = sigma * sigma;
  const double z0 = variance * std::log(1 / q - 1) + 0.5;
  const double log_in = std::log(q);
  const double log_out = std::log1p(-q);
  SignedLogSum sum;
  double log_binomial = 0;
  bool negative = false;
  for (int i = 0;; ++i) {
    if (i > 0) {
      const double factor = (order - i + 1) / i;
      log_binomial += std::log(std::abs(factor));
      negative ^= factor < 0;
    }
    const double j = order - i;
    const double left = log_binomial + i * log_in + j * log_out +
                        (static_cast<double>(i) * i - i) / (2 * variance) + log_normal_cdf((z0 - i) / sigma);
    const double right = log_binomial + j * log_in + i * log_out + (j * j - j) / (2 * variance) +
                         log_normal_cdf((j - z0) / sigma);
    sum.add(left, negative);
    sum.add(right, negative);
    if (i > order && std::max(left, right) < sum.log() - 32) return sum.log();
  }
}

/// Does the curve fall below the smallest double on (from, to] while the integrand it carries still counts?
/// Then the integral cannot be known.
bool fades_too_early(const PrivacyCurve& curve, Direction direction, double slope, double from, double to,
                     double total) {
  constexpr double kSmallest = 1e-290;
  if (curve.delta(direction, to) >= kSmallest) return false;
  double low = from;
  double high = to;
  for (int i = 0; i < 40; ++i) {
    const double middle = 0.5 * (low + high);
    (curve.delta(direction, middle) >= kSmallest ? low : high) = middle;
  }
  return std::exp(slope * low + std::log(kSmallest)) > 1e-13 * total;
}

/// integral over epsilon >= 0 of e^(slope epsilon) delta(epsilon), on panels that double in width: the curve
/// may change on any scale.
double integrate_curve(const PrivacyCurve& curve, Direction direction, double slope) {
  using Quadrature = boost::math::quadrature::gauss_kronrod<double, 31>;
  const auto integrand = [&](double epsilon) {
    const double delta = curve.delta(direction, epsilon);
    return delta == 0 ? 0 : std::exp(slope * epsilon + std::log(delta));
  };
  const double end = curve.largest_loss();
  double total = 0;
  double from = 0;
  double width = 1e-6;
  while (from < end) {
    const double to = std::min(end, from + width);
    double error = 0;
    const double part = Quadrature::integrate(integrand, from, to, 4, 1e-7, &error);
    total += part + std::min(part, error);
    if (std::isinf(end) && from > 1e-3 && part <= 1e-14 * total) break;
    if (!std::isfinite(total) || fades_too_early(curve, direction, slope, from, to, total)) return kInfinity;
    from = to;
    width = 2 * width;
  }
  return total;
}

}  // namespace

// ---- Poisson

PoissonSampledCurve::PoissonSampledCurve(double rate, std::shared_ptr<const PrivacyCurve> base)
    : rate_(rate), base_(std::move(base)) {}

double PoissonSampledCurve::delta(Direction direction, double epsilon) const {
  if (direction == Direction::kRemove) {
    const double inner = before_sampling(epsilon, rate_);
    return inner == -kInfinity ? -std::expm1(epsilon) : rate_ * base_->delta(direction, inner);
  }
  const double inner = before_sampling_mirrored(epsilon, rate_);
  if (inner == kInfinity) return 0;
  const double kept = 1 - std::exp(epsilon) * (1 - rate_);
  return kept * base_->delta(direction, inner);
}

double PoissonSampledCurve::reference_tail(Direction direction, double epsilon) const {
  if (direction == Direction::kRemove) {
    const double inner = before_sampling(epsilon, rate_);
    return inner == -kInfinity ? 1 : base_->reference_tail(direction, inner);
  }
  const double inner = before_sampling_mirrored(epsilon, rate_);
  if (inner == kInfinity) return 0;
  // The reference is the mixture of both base distributions.
  const double second = base_->reference_tail(direction, inner);
  const double weighted = second == 0 ? 0 : std::exp(inner + std::log(second));
  const double first = base_->delta(direction, inner) + weighted;
  return (1 - rate_) * first + rate_ * second;
}

double PoissonSampledCurve::renyi(double order) const {
  if (rate_ == 1 || std::isinf(base_->renyi(order))) return base_->renyi(order);
  if (const auto* gaussian = dynamic_cast<const GaussianCurve*>(base_.get()))
    return poisson_gaussian_renyi(rate_, 1 / gaussian->mu(), order);
  return std::min(base_->renyi(order), renyi_by_quadrature(*this, order));
}

double PoissonSampledCurve::largest_loss() const {
  const double base = base_->largest_loss();
  if (base > 700) return base;
  return std::log1p(rate_ * std::expm1(base));  // removing; adding loses at most -ln(1 - rate), which is less
}

// ---- without replacement

SampledWithoutReplacementCurve::SampledWithoutReplacementCurve(double rate,
                                                               std::shared_ptr<const PrivacyCurve> base)
    : rate_(rate), base_(std::move(base)) {}

double SampledWithoutReplacementCurve::delta(Direction, double epsilon) const {
  if (epsilon < 0) return -std::expm1(epsilon) + std::exp(epsilon) * delta(Direction::kRemove, -epsilon);
  const double inner = before_sampling(epsilon, rate_);
  return rate_ * std::max(base_->delta(Direction::kRemove, inner), base_->delta(Direction::kAdd, inner));
}

double SampledWithoutReplacementCurve::reference_tail(Direction direction, double epsilon) const {
  if (epsilon < 0) {
    const double opposite = reference_tail(direction, -epsilon);
    return 1 - delta(direction, -epsilon) - std::exp(-epsilon) * opposite;
  }
  const double inner = before_sampling(epsilon, rate_);
  const bool remove_leads = base_->delta(Direction::kRemove, inner) >= base_->delta(Direction::kAdd, inner);
  return base_->reference_tail(remove_leads ? Direction::kRemove : Direction::kAdd, inner);
}

double SampledWithoutReplacementCurve::renyi(double order) const {
  const double base = base_->renyi(order);
  if (rate_ == 1 || std::isinf(base)) return base;
  return std::min(base, renyi_by_quadrature(*this, order));
}

double SampledWithoutReplacementCurve::largest_loss() const {
  const double base = base_->largest_loss();
  return base > 700 ? base : std::log1p(rate_ * std::expm1(base));
}

// ---- Renyi divergences

double poisson_gaussian_renyi(double rate, double sigma, double order) {
  if (rate == 1) return order / (2 * sigma * sigma);
  const bool whole = order == std::floor(order) && order <= 1 << 16;
  const double log_moment = whole ? log_moment_whole_order(rate, sigma, static_cast<int>(order))
                                  : log_moment_fractional_order(rate, sigma, order);
  return std::max(0.0, log_moment / (order - 1));
}

double renyi_by_quadrature(const PrivacyCurve& curve, double order) {
  // E_Q[(P/Q)^a] - 1 = a (a-1) integral of g^(a-2) H_g(P|Q) + g^(-a-1) H_g(Q|P) over g >= 1
  // (Sason & Verdu 2016, Theorem 9, with the hockey-stick divergence H), here with g = e^epsilon.
  const auto one_direction = [&](Direction forth, Direction back) {
    const double integral = integrate_curve(curve, forth, order - 1) + integrate_curve(curve, back, -order);
    return std::log1p(order * (order - 1) * integral) / (order - 1);
  };
  const double remove = one_direction(Direction::kRemove, Direction::kAdd);
  return curve.symmetric() ? remove : std::max(remove, one_direction(Direction::kAdd, Direction::kRemove));
}

}  // namespace earshot
