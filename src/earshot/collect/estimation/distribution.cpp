#include "earshot/collect/estimation/distribution.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/finite.hpp"

namespace earshot {

void check_counts(std::span<const double> counts, std::size_t size, std::string_view name) {
  if (counts.size() != size)
    fail(Fault::kData, fmt::format("{} needs {} entries, one per place, not {}", name, size, counts.size()));
  const bool negative = std::ranges::any_of(counts, [](double x) { return x < 0; });
  if (!all_finite(counts) || negative)
    fail(Fault::kData, fmt::format("{} holds a number that is negative or not finite", name));
  if (std::ranges::none_of(counts, [](double x) { return x > 0; }))
    fail(Fault::kData, fmt::format("{} is zero everywhere; give at least one record", name));
}

void check_distribution(std::span<const double> values, std::size_t size, std::string_view name) {
  double sum = 0;
  bool negative = false;
  for (const double x : values) {
    sum += x;
    negative |= x < 0;
  }
  if (values.size() == size && !negative && std::abs(sum - 1) <= 1e-9) return;
  check_counts(values, size, name);
  fail(Fault::kData, fmt::format("{} adds up to {:.12g}, not 1; divide it by its sum", name, sum));
}

std::vector<double> uniform_distribution(std::size_t size) {
  return std::vector<double>(size, 1.0 / static_cast<double>(size));
}

std::vector<double> normalised(std::span<const double> counts) {
  std::vector<double> result(counts.begin(), counts.end());
  const double sum = std::accumulate(result.begin(), result.end(), 0.0);
  for (double& x : result) x /= sum;
  return result;
}

double total_variation(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
  return sum / 2;
}

std::vector<double> clip_and_normalise(std::span<const double> values) {
  std::vector<double> clipped(values.begin(), values.end());
  for (double& x : clipped) x = std::max(x, 0.0);
  if (std::ranges::none_of(clipped, [](double x) { return x > 0; }))
    return uniform_distribution(clipped.size());
  return normalised(clipped);
}

std::vector<double> project_to_simplex(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted, std::greater<>());
  // The projection is max(value - shift, 0); entries leave the support from the smallest on.
  double sum = 0;
  double shift = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    sum += sorted[i];
    const double candidate = (sum - 1) / static_cast<double>(i + 1);
    if (sorted[i] <= candidate) break;
    shift = candidate;
  }
  std::vector<double> projected(values.begin(), values.end());
  for (double& x : projected) x = std::max(x - shift, 0.0);
  return projected;
}

}  // namespace earshot
