#include "earshot/metric/rank_correlation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

void check(std::span<const double> x, std::span<const double> y) {
  if (x.size() != y.size())
    fail(Fault::kInternal, fmt::format("rank correlation of {} values with {}", x.size(), y.size()));
  const auto is_nan = [](double value) { return std::isnan(value); };
  if (std::any_of(x.begin(), x.end(), is_nan) || std::any_of(y.begin(), y.end(), is_nan))
    fail(Fault::kNumeric, "rank correlation of a value that is not a number");
}

std::int64_t compare(double a, double b) {
  return static_cast<std::int64_t>(a > b) - static_cast<std::int64_t>(a < b);
}

}  // namespace

std::vector<double> average_ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
    while (last < order.size() && values[order[last]] == values[order[first]]) ++last;
    const double shared = static_cast<double>(first + 1 + last) / 2;
    for (std::size_t i = first; i < last; ++i) ranks[order[i]] = shared;
  }
  return ranks;
}

std::optional<double> spearman(std::span<const double> x, std::span<const double> y) {
  check(x, y);
  const std::vector<double> ranks_x = average_ranks(x);
  const std::vector<double> ranks_y = average_ranks(y);
  // Half-integers: all sums below are exact, so the order of the pairs does not matter.
  const double centre = static_cast<double>(x.size() + 1) / 2;
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double a = ranks_x[i] - centre;
    const double b = ranks_y[i] - centre;
    xx += a * a;
    yy += b * b;
    xy += a * b;
  }
  if (xx == 0 || yy == 0) return std::nullopt;
  return std::clamp(xy / std::sqrt(xx * yy), -1.0, 1.0);
}

std::optional<double> kendall(std::span<const double> x, std::span<const double> y) {
  check(x, y);
  std::int64_t agreement = 0;
  std::int64_t untied_x = 0;
  std::int64_t untied_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = i + 1; j < x.size(); ++j) {
      const std::int64_t a = compare(x[i], x[j]);
      const std::int64_t b = compare(y[i], y[j]);
      agreement += a * b;
      untied_x += a != 0;
      untied_y += b != 0;
    }
  }
  if (untied_x == 0 || untied_y == 0) return std::nullopt;
  const double scale = std::sqrt(static_cast<double>(untied_x)) * std::sqrt(static_cast<double>(untied_y));
  return std::clamp(static_cast<double>(agreement) / scale, -1.0, 1.0);
}

}  // namespace earshot
