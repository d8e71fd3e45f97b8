#include "earshot/collect/estimation/bayesian_update.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "earshot/collect/estimation/distribution.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

void check_batches(std::span<const ReportBatch> batches) {
  if (batches.empty()) fail(Fault::kData, "an estimate needs at least one batch of reports");
  for (const ReportBatch& batch : batches) {
    if (batch.channel.inputs != batches.front().channel.inputs)
      fail(Fault::kData, "all batches of reports must be about the same places");
    if (batch.channel.probability.size() != batch.channel.inputs * batch.channel.outputs)
      fail(Fault::kData, "a channel needs one probability for every pair of truth and report");
    for (std::size_t x = 0; x < batch.channel.inputs; ++x)
      check_distribution(batch.channel.row(x), batch.channel.outputs, "a row of a channel");
    check_counts(batch.counts, batch.channel.outputs, "a batch of reports");
  }
}

DenseKernel stacked_transpose(std::span<const ReportBatch> batches) {
  check_batches(batches);
  const std::size_t places = batches.front().channel.inputs;
  std::size_t reports = 0;
  for (const ReportBatch& batch : batches) reports += batch.channel.outputs;
  std::vector<double> values(reports * places);
  constexpr std::size_t kTile = 16;  // two cache lines of either matrix
  double* out = values.data();
  for (const ReportBatch& batch : batches) {
    const Channel& channel = batch.channel;
    for (std::size_t first = 0; first < places; first += kTile) {
      const std::size_t last = std::min(first + kTile, places);
      for (std::size_t y = 0; y < channel.outputs; ++y) {
        for (std::size_t x = first; x < last; ++x) out[y * places + x] = channel(x, y);
      }
    }
    out += channel.outputs * places;
  }
  return DenseKernel(reports, places, std::move(values));
}

/// EM on the simplex. Every point it visits is remembered with its likelihood and its gain, which one pass
/// gives together.
class Ascent {
 public:
  Ascent(const MixtureKernel& kernel, std::span<const double> weights, const BayesianUpdateOptions& options)
      : kernel_(kernel), weights_(weights), options_(options), scratch_(kernel.scratch()) {
    at_.distribution = options.start.empty() ? uniform_distribution(kernel.columns()) : options.start;
    check_distribution(at_.distribution, kernel.columns(), "the start of the Bayesian update");
    if (std::ranges::any_of(at_.distribution, [](double p) { return p == 0; }))
      fail(Fault::kConfig,
           "the start of the Bayesian update must be positive everywhere: a place of probability 0 stays "
           "empty");
    for (Point* point : {&at_, &once_, &twice_, &leap_}) {
      point->distribution.resize(kernel.columns());
      point->gain.resize(kernel.columns());
    }
    look(at_);
    if (!std::isfinite(at_.log_likelihood))
      fail(Fault::kData,
           "a report was counted that the mechanism gives from no place; check that reports and mechanism "
           "belong together");
  }

  PlaceEstimate run() {
    while (steps_ < options_.iterations && !near_enough()) {
      if (options_.accelerated && steps_ + 3 <= options_.iterations)
        leap();
      else
        plain_step();
    }
    return {std::move(at_.distribution), at_.log_likelihood, optimality_gap(at_.gain), steps_};
  }

 private:
  struct Point {
    std::vector<double> distribution{};
    std::vector<double> gain{};
    double log_likelihood = 0;
  };

  void look(Point& point) {
    point.log_likelihood = kernel_.pass(weights_, point.distribution, point.gain, scratch_);
  }

  bool near_enough() const {
    return options_.precision > 0 && optimality_gap(at_.gain) <= options_.precision;
  }

  void step(const Point& from, Point& to) {
    std::ranges::copy(from.distribution, to.distribution.begin());
    apply_gain(to.distribution, from.gain);
    look(to);
    ++steps_;
  }

  void plain_step() {
    step(at_, once_);
    std::swap(at_, once_);
  }

  /// Two plain steps and, along them, an extrapolation; the likelier of the second step and the extrapolation
  /// is kept, so a leap never gains less than two plain steps from where it started.
  void leap() {
    step(at_, once_);
    step(once_, twice_);
    bool likelier = false;
    if (extrapolate()) {
      look(leap_);
      ++steps_;
      likelier = leap_.log_likelihood > twice_.log_likelihood;
    }
    std::swap(at_, likelier ? leap_ : twice_);
  }

  /// theta + 2 s r + s^2 v with r the first difference, v the second and s = |r| / |v| (scheme S3). What
  /// would turn negative keeps a hundredth of its share, because zeros stay. False when there is nothing to
  /// extrapolate.
  bool extrapolate() {
    double r2 = 0;
    double v2 = 0;
    for (std::size_t x = 0; x < at_.distribution.size(); ++x) {
      const double r = once_.distribution[x] - at_.distribution[x];
      const double v = twice_.distribution[x] - once_.distribution[x] - r;
      r2 += r * r;
      v2 += v * v;
    }
    if (!(v2 > 0)) return false;
    const double s = std::sqrt(r2 / v2);
    if (!(s > 1)) return false;  // shorter than two plain steps
    double sum = 0;
    for (std::size_t x = 0; x < at_.distribution.size(); ++x) {
      const double r = once_.distribution[x] - at_.distribution[x];
      const double v = twice_.distribution[x] - once_.distribution[x] - r;
      leap_.distribution[x] =
          std::max(at_.distribution[x] + 2 * s * r + s * s * v, twice_.distribution[x] / 100);
      sum += leap_.distribution[x];
    }
    for (double& p : leap_.distribution) p /= sum;
    return true;
  }

  const MixtureKernel& kernel_;
  std::span<const double> weights_;
  const BayesianUpdateOptions& options_;
  PassScratch scratch_;
  Point at_{};
  Point once_{};
  Point twice_{};
  Point leap_{};
  std::size_t steps_ = 0;
};

std::vector<double> stacked_counts(std::span<const ReportBatch> batches) {
  std::vector<double> counts;
  for (const ReportBatch& batch : batches)
    counts.insert(counts.end(), batch.counts.begin(), batch.counts.end());
  return counts;
}

}  // namespace

ReportLikelihood::ReportLikelihood(std::span<const ReportBatch> batches)
    : kernel_(stacked_transpose(batches)),
      weights_(stacked_counts(batches)),
      reports_(std::reduce(weights_.begin(), weights_.end())) {
  weights_ = normalised(weights_);
}

PlaceEstimate estimate_places(const MixtureKernel& kernel, std::span<const double> weights,
                              const BayesianUpdateOptions& options) {
  check_distribution(weights, kernel.rows(), "the shares of the reports");
  if (options.iterations == 0) fail(Fault::kConfig, "the Bayesian update needs at least one iteration");
  if (!(options.precision >= 0))
    fail(Fault::kConfig, "the precision of the Bayesian update must be at least 0 nats");
  return Ascent(kernel, weights, options).run();
}

PlaceEstimate estimate_places(const ReportLikelihood& likelihood, const BayesianUpdateOptions& options) {
  return estimate_places(likelihood.kernel(), likelihood.weights(), options);
}

}  // namespace earshot
