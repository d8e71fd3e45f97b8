#include "earshot/collect/location/exact_channel.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/mechanism/exact_samplers.hpp"
#include "earshot/mechanism/randomised_response.hpp"

namespace earshot {
namespace {

constexpr std::uint64_t kTotal = std::uint64_t{1} << ExactChannel::kTotalBits;
constexpr std::uint64_t kFloor = std::uint64_t{1} << ExactChannel::kFloorBits;
/// Logarithms of probabilities from 2^-62 to 1 are wrong by less, and so are their differences.
constexpr double kLogarithmError = 1e-13;

std::vector<bool> possible_reports(const Channel& channel) {
  std::vector<bool> possible(channel.outputs, false);
  for (std::size_t x = 0; x < channel.inputs; ++x)
    for (std::size_t y = 0; y < channel.outputs; ++y)
      if (channel(x, y) > 0) possible[y] = true;
  return possible;
}

/// Weights of one row that sum to kTotal: the floor for each possible report, the rest by probability, and
/// what rounding left to the likeliest.
void round_row(std::span<const double> row, const std::vector<bool>& possible,
               std::span<std::uint64_t> weights) {
  const auto floors = static_cast<std::uint64_t>(std::ranges::count(possible, true)) * kFloor;
  const auto rest = static_cast<double>(kTotal - floors);
  std::uint64_t sum = 0;
  for (std::size_t y = 0; y < row.size(); ++y) {
    weights[y] = possible[y] ? kFloor + static_cast<std::uint64_t>(std::floor(row[y] * rest)) : 0;
    sum += weights[y];
  }
  const auto likeliest = static_cast<std::size_t>(std::ranges::max_element(row) - row.begin());
  weights[likeliest] += kTotal - sum;  // wraps around correctly when rows sum to a little more than 1
}

ReleasePointer metric_event(const std::string& name, double epsilon, double delta, const std::string& unit) {
  if (std::isinf(epsilon) || delta >= 1)
    return make_release(NotPrivateRelease{name + ": some report gives a place away"});
  return make_release(MetricRelease{name, epsilon, delta, unit});
}

double smallest_distance(const Distances& metric) {
  double smallest = HUGE_VAL;
  for (const double d : metric.value)
    if (d > 0) smallest = std::min(smallest, d);
  return smallest;
}

template <BitSource Source>
std::size_t draw(std::span<const std::uint64_t> cumulative, Source& source) {
  const std::uint64_t at = source.bits() >> (64 - ExactChannel::kTotalBits);
  return static_cast<std::size_t>(std::ranges::upper_bound(cumulative, at) - cumulative.begin());
}

}  // namespace

ExactChannel::ExactChannel(const Channel& channel, PlaceMetric metric, std::string name)
    : metric_(std::move(metric)), name_(std::move(name)) {
  round_rows(channel, true);
  measure();
  release_ = metric_event(name_, level_.epsilon, 0, metric_.unit);
}

ExactChannel::ExactChannel(const Channel& channel, PlaceMetric metric, std::string name,
                           double approximate_epsilon)
    : metric_(std::move(metric)), name_(std::move(name)) {
  round_rows(channel, false);
  measure();
  approximate_ = approximate_privacy(channel_, metric_.between_truths, approximate_epsilon);
  approximate_->delta = std::min(1.0, approximate_->delta + kLogarithmError);
  release_ = metric_event(name_, approximate_epsilon, approximate_->delta, metric_.unit);
}

void ExactChannel::round_rows(const Channel& channel, bool shared_support) {
  check_channel(channel);
  if (channel.outputs > kMostOutputs)
    fail(Fault::kConfig,
         fmt::format("{} possible reports are too many for exact sampling, which takes up to {}",
                     channel.outputs, kMostOutputs));
  std::vector<bool> possible = possible_reports(channel);
  cumulative_.resize(channel.probability.size());
  channel_ = {channel.inputs, channel.outputs, std::vector<double>(channel.probability.size())};
  for (std::size_t x = 0; x < channel.inputs; ++x) {
    const std::span<std::uint64_t> row(cumulative_.data() + x * channel.outputs, channel.outputs);
    if (!shared_support)
      for (std::size_t y = 0; y < channel.outputs; ++y) possible[y] = channel(x, y) > 0;
    round_row(channel.row(x), possible, row);
    std::ranges::transform(row, channel_.row(x).begin(), [](std::uint64_t weight) {
      return std::ldexp(static_cast<double>(weight), -kTotalBits);
    });
    std::partial_sum(row.begin(), row.end(), row.begin());
  }
}

void ExactChannel::measure() {
  level_ = metric_privacy(channel_, metric_.between_truths);
  if (level_.epsilon > 0) level_.epsilon += kLogarithmError / smallest_distance(metric_.between_truths);
}

MechanismTerms ExactChannel::terms() const {
  return {"distance",
          1,
          {},
          "one report of a place",
          fmt::format("replace the place by one a {} away; at distance d the loss is d times as large",
                      metric_.unit)};
}

std::uint64_t ExactChannel::weight(std::size_t input, std::size_t output) const {
  require_category(input, inputs());
  require_category(output, outputs());
  const std::size_t at = input * outputs() + output;
  return output == 0 ? cumulative_[at] : cumulative_[at] - cumulative_[at - 1];
}

double ExactChannel::probability(std::size_t output, std::size_t input) const {
  return std::ldexp(static_cast<double>(weight(input, output)), -kTotalBits);
}

Released<std::size_t> ExactChannel::simulate(std::size_t input, Stream& stream) const {
  require_category(input, inputs());
  return {draw(std::span(cumulative_).subspan(input * outputs(), outputs()), stream), release_};
}

Released<std::size_t> ExactChannel::protect(std::size_t input, SecureRandom& random) const {
  require_category(input, inputs());
  return {draw(std::span(cumulative_).subspan(input * outputs(), outputs()), random), release_};
}

}  // namespace earshot
