#include "earshot/accounting/gaussian_curve.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

void require_delta(double delta) {
  if (!(delta > 0 && delta < 1)) fail(Fault::kConfig, "delta must lie strictly between 0 and 1");
}

}  // namespace

double log_normal_cdf(double x) {
  if (x > -20) return std::log(0.5 * std::erfc(-x / std::numbers::sqrt2));
  // Asymptotic series of the Mills ratio; at |x| >= 20 the first neglected term is below 1e-11 relative.
  const double inverse_square = 1 / (x * x);
  double term = 1;
  double sum = 1;
  for (int k = 1; k <= 6; ++k) {
    term *= -(2.0 * k - 1) * inverse_square;
    sum += term;
  }
  return -0.5 * x * x - std::log(-x) - 0.5 * std::log(2 * std::numbers::pi) + std::log(sum);
}

double gaussian_delta(double mu, double epsilon) {
  if (mu == 0) return epsilon < 0 ? -std::expm1(epsilon) : 0;
  const double log_first = log_normal_cdf(mu / 2 - epsilon / mu);
  const double log_second = epsilon + log_normal_cdf(-mu / 2 - epsilon / mu);
  if (log_second >= log_first) return 0;  // only rounding can bring it here
  return std::exp(log_first) * -std::expm1(log_second - log_first);
}

double gaussian_epsilon(double mu, double delta) {
  require_delta(delta);
  if (!(mu >= 0)) fail(Fault::kConfig, "the ratio of sensitivity to noise must not be negative");
  if (gaussian_delta(mu, 0) <= delta) return 0;
  double low = 0;
  double high = 1;
  while (gaussian_delta(mu, high) > delta) {
    low = high;
    high *= 2;
    if (!std::isfinite(high)) return std::numeric_limits<double>::infinity();
  }
  while (high - low > 1e-12 * high) {
    const double middle = 0.5 * (low + high);
    (gaussian_delta(mu, middle) > delta ? low : high) = middle;
  }
  return high;
}

double gaussian_mu(double epsilon, double delta) {
  require_delta(delta);
  if (!(epsilon > 0) || !std::isfinite(epsilon)) fail(Fault::kConfig, "epsilon must be positive and finite");
  double low = 0;
  double high = 1;
  while (gaussian_delta(high, epsilon) <= delta) {
    low = high;
    high *= 2;
  }
  while (high - low > 1e-12 * high) {
    const double middle = 0.5 * (low + high);
    (gaussian_delta(middle, epsilon) > delta ? high : low) = middle;
  }
  return low;
}

double compose_gaussian(double mu, std::size_t releases) {
  return mu * std::sqrt(static_cast<double>(releases));
}

}  // namespace earshot
