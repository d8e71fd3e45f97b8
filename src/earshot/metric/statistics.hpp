// Summaries of repeated measurements.
#pragma once

#include <cstddef>
#include <span>

namespace earshot {

// All functions: at least one value; a value that is not finite is an error.

double mean(std::span<const double> values);

/// Square root of the unbiased variance (divisor n − 1); 0 for a single value.
double sample_deviation(std::span<const double> values);

/// Linear interpolation between order statistics at (n − 1) p, p in [0, 1] (Hyndman & Fan 1996, definition
/// 7).
double quantile(std::span<const double> values, double p);

struct Summary {
  std::size_t count = 0;
  double mean = 0;
  double deviation = 0;
  double minimum = 0;
  double median = 0;
  double maximum = 0;
};
Summary summarise(std::span<const double> values);

}  // namespace earshot
