#include "earshot/mechanism/truncated_laplace.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/mechanism/exact_choice.hpp"
#include "earshot/mechanism/randomised_response.hpp"

namespace earshot {
namespace {

constexpr double kExponentUnits = 0x1p32;

std::size_t square_size(const std::vector<double>& distances) {
  const auto size = static_cast<std::size_t>(std::llround(std::sqrt(static_cast<double>(distances.size()))));
  if (size == 0 || size * size != distances.size())
    fail(Fault::kData, "distances must form a square table with a row and a column per place");
  for (std::size_t x = 0; x < size; ++x) {
    for (std::size_t y = 0; y < size; ++y) {
      const double d = distances[x * size + y];
      if (!(d >= 0) || (x == y && d != 0)) {
        fail(Fault::kData, fmt::format("the distance from place {} to place {} is {}: distances must not be "
                                       "negative, and 0 from a place to itself",
                                       x, y, d));
      }
    }
  }
  return size;
}

}  // namespace

TruncatedLaplace::TruncatedLaplace(std::vector<double> distances, double epsilon, double radius,
                                   std::string what)
    : size_(square_size(distances)),
      distances_(std::move(distances)),
      epsilon_(require_positive(epsilon, "epsilon per unit of distance")),
      what_(std::move(what)) {
  if (!(radius >= 0) || !std::isfinite(radius))
    fail(Fault::kConfig, "the truncation radius must be finite and not negative");
  if (!(epsilon * radius < 0x1p20))
    fail(Fault::kConfig, "epsilon times the truncation radius must stay below 2^20");
  for (std::size_t x = 0; x < size_; ++x) rows_.push_back(make_row(x, radius));
  find_deltas();
  release_ = make_release(MetricRelease{"truncated_laplace", epsilon_, delta_, what_});
}

TruncatedLaplace::Row TruncatedLaplace::make_row(std::size_t x, double radius) const {
  Row row;
  double sum = 0;
  for (std::size_t y = 0; y < size_; ++y) {
    if (distance(x, y) > radius) continue;
    row.reports.push_back(y);
    row.exponents.push_back(
        static_cast<std::uint64_t>(std::llround(epsilon_ * distance(x, y) * kExponentUnits)));
    row.probabilities.push_back(std::exp(-static_cast<double>(row.exponents.back()) / kExponentUnits));
    sum += row.probabilities.back();
  }
  for (double& p : row.probabilities) p /= sum;
  return row;
}

void TruncatedLaplace::find_deltas() {
  std::vector<double> other(size_);
  for (std::size_t x2 = 0; x2 < size_; ++x2) {
    std::ranges::fill(other, 0.0);
    for (std::size_t i = 0; i < rows_[x2].reports.size(); ++i)
      other[rows_[x2].reports[i]] = rows_[x2].probabilities[i];
    for (std::size_t x1 = 0; x1 < size_; ++x1) {
      const double factor = std::exp(-epsilon_ * distance(x1, x2));
      double sum = 0;
      for (std::size_t i = 0; i < rows_[x1].reports.size(); ++i) {
        const double excess = factor * rows_[x1].probabilities[i] - other[rows_[x1].reports[i]];
        sum += std::max(0.0, excess);
        pointwise_delta_ = std::max(pointwise_delta_, excess);
      }
      delta_ = std::max(delta_, sum);
    }
  }
}

MechanismTerms TruncatedLaplace::terms() const {
  return {"distance",
          1,
          {},
          "one report of a place",
          "replace the place by one at distance 1; at distance d the loss is d times as large"};
}

double TruncatedLaplace::probability(std::size_t output, std::size_t input) const {
  require_category(input, inputs());
  require_category(output, outputs());
  const Row& row = rows_[input];
  const auto found = std::ranges::lower_bound(row.reports, output);
  if (found == row.reports.end() || *found != output) return 0;
  return row.probabilities[static_cast<std::size_t>(found - row.reports.begin())];
}

Released<std::size_t> TruncatedLaplace::simulate(std::size_t input, Stream& stream) const {
  require_category(input, inputs());
  const Row& row = rows_[input];
  double left = stream.uniform();
  std::size_t i = 0;
  while (i + 1 < row.reports.size() && left >= row.probabilities[i]) left -= row.probabilities[i++];
  return {row.reports[i], release_};
}

Released<std::size_t> TruncatedLaplace::protect(std::size_t input, SecureRandom& random) const {
  require_category(input, inputs());
  const Row& row = rows_[input];
  return {row.reports[exponential_choice(random, row.exponents, {1, WideInteger{1} << 32})], release_};
}

}  // namespace earshot
