#include "earshot/attack/inversion/prior.hpp"

#include <cmath>
#include <cstddef>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

double sign(double x) {
  return static_cast<double>((x > 0) - (x < 0));
}

/// Mean absolute difference of the pixels `step` apart, for `lines` x `length` first members.
struct Neighbours {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t step = 0;
};

double add_differences(const Shape& shape, const Neighbours& pairs, double weight,
                       std::span<const double> record, std::span<double> gradient) {
  const std::size_t count = shape.channels * pairs.rows * pairs.columns;
  if (count == 0) return 0;
  const double share = weight / static_cast<double>(count);
  double sum = 0;
  for (std::size_t c = 0; c < shape.channels; ++c) {
    for (std::size_t i = 0; i < pairs.rows; ++i) {
      for (std::size_t j = 0; j < pairs.columns; ++j) {
        const std::size_t at = (c * shape.height + i) * shape.width + j;
        const double difference = record[at + pairs.step] - record[at];
        sum += std::abs(difference);
        gradient[at + pairs.step] += share * sign(difference);
        gradient[at] -= share * sign(difference);
      }
    }
  }
  return share * sum;
}

double add_total_variation(const Shape& shape, double weight, std::span<const double> record,
                           std::span<double> gradient) {
  return add_differences(shape, {shape.height - 1, shape.width, shape.width}, weight, record, gradient) +
         add_differences(shape, {shape.height, shape.width - 1, 1}, weight, record, gradient);
}

double add_moments(const KnownMoments& known, std::span<const double> record, std::span<double> gradient) {
  const auto count = static_cast<double>(record.size());
  double mean = 0;
  for (const double x : record) mean += x / count;
  double variance = 0;
  for (const double x : record) variance += (x - mean) * (x - mean) / count;
  const double deviation = std::sqrt(variance);
  const double mean_error = mean - known.mean;
  const double deviation_error = deviation - known.deviation;
  for (std::size_t i = 0; i < record.size(); ++i) {
    gradient[i] += known.weight * 2 * mean_error / count;
    if (deviation > 0)
      gradient[i] += known.weight * 2 * deviation_error * (record[i] - mean) / (count * deviation);
  }
  return known.weight * (mean_error * mean_error + deviation_error * deviation_error);
}

void require_weight(double weight) {
  if (!(weight >= 0) || !std::isfinite(weight))
    fail(Fault::kConfig, "the weight of a prior must be finite and not negative");
}

}  // namespace

bool is_active(const Prior& prior) {
  return prior.total_variation > 0 || prior.moments.has_value();
}

double add_prior(const Prior& prior, const Shape& shape, std::span<const double> record,
                 std::span<double> gradient) {
  double value = 0;
  if (prior.total_variation > 0) value += add_total_variation(shape, prior.total_variation, record, gradient);
  if (prior.moments) value += add_moments(*prior.moments, record, gradient);
  return value;
}

void require_valid(const Prior& prior, const Shape& shape) {
  require_weight(prior.total_variation);
  if (prior.total_variation > 0 && shape.height * shape.width < 2)
    fail(Fault::kConfig, "total variation is a prior for images; these records have no neighbouring pixels");
  if (!prior.moments) return;
  require_weight(prior.moments->weight);
  if (!std::isfinite(prior.moments->mean) || !(prior.moments->deviation >= 0))
    fail(Fault::kConfig, "the known mean must be finite and the known deviation not negative");
}

}  // namespace earshot
