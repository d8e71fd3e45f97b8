// Goodness of fit for tests of samplers: fixed seeds, false alarms below 1e-6 per test.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

namespace earshot {

/// Upper quantile of the chi-square distribution at probability 1e-7 (z = 5.199), by Wilson & Hilferty
/// (1931), which errs by a few per cent at most for the degrees of freedom used here.
inline double chi_square_limit(double degrees) {
  const double a = 2.0 / (9.0 * degrees);
  return degrees * std::pow(1 - a + 5.199 * std::sqrt(a), 3);
}

/// Chi-square of counts against probabilities, divided by its limit: a correct sampler stays below 1 with
/// probability 1 - 1e-7. `probability` need not sum to 1: the rest is one more cell. Cells that expect fewer
/// than 10 draws are pooled into it.
template <class Outcome>
double chi_square_excess(const std::map<Outcome, std::uint64_t>& counts,
                         const std::map<Outcome, double>& probability) {
  double draws = 0;
  for (const auto& [outcome, count] : counts) draws += static_cast<double>(count);
  double statistic = 0;
  double cells = 0;
  double rest_expected = draws;
  double rest_observed = draws;
  for (const auto& [outcome, p] : probability) {
    const double expected = draws * p;
    if (expected < 10) continue;
    const auto found = counts.find(outcome);
    const double observed = found == counts.end() ? 0 : static_cast<double>(found->second);
    statistic += (observed - expected) * (observed - expected) / expected;
    rest_expected -= expected;
    rest_observed -= observed;
    ++cells;
  }
  if (rest_expected >= 10) {
    statistic += (rest_observed - rest_expected) * (rest_observed - rest_expected) / rest_expected;
    ++cells;
  } else if (rest_observed > rest_expected + 60) {
    return HUGE_VAL;  // draws where (almost) none can be: Poisson(10) exceeds 70 with probability below 1e-30
  }
  return statistic / chi_square_limit(cells - 1);
}

/// sqrt(n) times the Kolmogorov-Smirnov distance; above 3.0 with probability 2 exp(-18) = 3e-8.
constexpr double kKolmogorovLimit = 3.0;

template <class Distribution>
double kolmogorov(std::vector<double> sample, Distribution&& distribution) {
  std::ranges::sort(sample);
  const auto n = static_cast<double>(sample.size());
  double distance = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double f = distribution(sample[i]);
    distance = std::max({distance, f - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - f});
  }
  return distance * std::sqrt(n);
}

}  // namespace earshot
