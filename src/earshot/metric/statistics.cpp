#include "earshot/metric/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/finite.hpp"

namespace earshot {
namespace {

void check(std::span<const double> values) {
  if (values.empty()) fail(Fault::kInternal, "statistics of no values");
  if (!all_finite(values)) fail(Fault::kNumeric, "statistics of a value that is not finite");
}

}  // namespace

double mean(std::span<const double> values) {
  check(values);
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double sample_deviation(std::span<const double> values) {
  const double centre = mean(values);
  if (values.size() == 1) return 0;
  double sum = 0;
  for (const double value : values) sum += (value - centre) * (value - centre);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

double quantile(std::span<const double> values, double p) {
  check(values);
  if (!(p >= 0 && p <= 1)) fail(Fault::kInternal, fmt::format("quantile {} is not in [0, 1]", p));
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const double position = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

Summary summarise(std::span<const double> values) {
  Summary summary;
  summary.count = values.size();
  summary.mean = mean(values);
  summary.deviation = sample_deviation(values);
  summary.median = quantile(values, 0.5);
  const auto [minimum, maximum] = std::minmax_element(values.begin(), values.end());
  summary.minimum = *minimum;
  summary.maximum = *maximum;
  return summary;
}

}  // namespace earshot
