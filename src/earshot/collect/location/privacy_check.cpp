#include "earshot/collect/location/privacy_check.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/parallel.hpp"

namespace earshot {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// ln 0 as a number, so that two zeros differ by 0 and not by NaN; no other difference comes near.
constexpr double kLogZero = -1e300;
constexpr double kLargestLoss = 1e299;

using Row = Eigen::Map<const Eigen::ArrayXd>;

// Rows of a block stay in the cache while all others pass by, a piece of the row at a time.
constexpr std::size_t kBlock = 32;
constexpr std::size_t kPiece = 256;

/// Folds every unordered pair of rows: update(state, x, other, begin, length) for piece after piece, then
/// take(block's result, x, other, state). Results come back in the order of the blocks, whatever the threads.
template <class State, class Result, class Update, class Take>
std::vector<Result> fold_pairs(std::size_t rows, std::size_t columns, const Update& update,
                               const Take& take) {
  std::vector<Result> results((rows + kBlock - 1) / kBlock);
  parallel_for(results.size(), [&](std::size_t block) {
    const std::size_t first = block * kBlock;
    const std::size_t last = std::min(rows, first + kBlock);
    std::vector<State> states((last - first) * rows);
    for (std::size_t begin = 0; begin < columns; begin += kPiece) {
      const std::size_t length = std::min(kPiece, columns - begin);
      for (std::size_t other = first + 1; other < rows; ++other)
        for (std::size_t x = first; x < std::min(last, other); ++x)
          update(states[(x - first) * rows + other], x, other, begin, length);
    }
    for (std::size_t x = first; x < last; ++x)
      for (std::size_t other = x + 1; other < rows; ++other)
        take(results[block], x, other, states[(x - first) * rows + other]);
  });
  return results;
}

void check_metric_of(const Channel& channel, const Distances& metric) {
  if (metric.inputs != channel.inputs || metric.outputs != channel.inputs)
    fail(Fault::kConfig,
         fmt::format("a channel of {} truths needs distances between all of them, found {} x {}",
                     channel.inputs, metric.inputs, metric.outputs));
}

std::vector<double> logarithms(const Channel& channel) {
  std::vector<double> logs(channel.probability.size());
  std::ranges::transform(channel.probability, logs.begin(),
                         [](double p) { return p > 0 ? std::log(p) : kLogZero; });
  return logs;
}

double loss_per_distance(double loss, double distance) {
  if (!(loss > 0) || std::isinf(distance)) return 0;
  return loss > kLargestLoss || distance == 0 ? kInfinity : loss / distance;
}

/// Largest differences of logarithms both ways.
struct Losses {
  double forth = -kInfinity;
  double back = -kInfinity;
};

void keep_worst(PrivacyLevel& worst, double epsilon, std::size_t truth, std::size_t alternative) {
  if (epsilon > worst.epsilon) worst = {epsilon, truth, alternative, 0};
}

struct Excess {
  double sum = 0;
  double largest = 0;

  void add(double factor, const Row& from, const Row& to) {
    const auto terms = (factor * from - to).cwiseMax(0.0);
    sum += terms.sum();
    largest = std::max(largest, terms.maxCoeff());
  }
};
struct BothExcesses {
  Excess forth;
  Excess back;
};

void keep_worst(ApproximateLevel& worst, const Excess& excess, std::size_t truth, std::size_t alternative) {
  worst.pointwise = std::max(worst.pointwise, excess.largest);
  if (excess.sum <= worst.delta) return;
  worst.delta = excess.sum;
  worst.truth = truth;
  worst.alternative = alternative;
}

/// e^(-epsilon d); pairs infinitely far apart are not asked to be alike.
double discount(double epsilon, double distance) {
  return std::isinf(distance) ? 0 : std::exp(-epsilon * distance);
}

}  // namespace

void check_channel(const Channel& channel) {
  if (channel.inputs == 0 || channel.outputs == 0 ||
      channel.probability.size() != channel.inputs * channel.outputs)
    fail(Fault::kData, "a channel must have a row per truth and a column per report, at least one of each");
  for (std::size_t x = 0; x < channel.inputs; ++x) {
    double sum = 0;
    for (const double p : channel.row(x)) {
      if (!(p >= 0 && p <= 1))
        fail(Fault::kData, fmt::format("row {} of the channel holds {}, which is no probability", x, p));
      sum += p;
    }
    if (std::abs(sum - 1) > 1e-9)
      fail(Fault::kData, fmt::format("row {} of the channel sums to {} instead of 1", x, sum));
  }
}

PrivacyLevel metric_privacy(const Channel& channel, const Distances& metric) {
  check_channel(channel);
  check_metric_of(channel, metric);
  const std::vector<double> logs = logarithms(channel);
  const auto piece = [&](std::size_t x, std::size_t begin, std::size_t length) {
    return Row(logs.data() + x * channel.outputs + begin, static_cast<Eigen::Index>(length));
  };
  const auto blocks = fold_pairs<Losses, PrivacyLevel>(
      channel.inputs, channel.outputs,
      [&](Losses& losses, std::size_t x, std::size_t other, std::size_t begin, std::size_t length) {
        const auto difference = piece(x, begin, length) - piece(other, begin, length);
        losses.forth = std::max(losses.forth, difference.maxCoeff());
        losses.back = std::max(losses.back, -difference.minCoeff());
      },
      [&](PrivacyLevel& worst, std::size_t x, std::size_t other, const Losses& losses) {
        keep_worst(worst, loss_per_distance(losses.forth, metric(x, other)), x, other);
        keep_worst(worst, loss_per_distance(losses.back, metric(other, x)), other, x);
      });
  PrivacyLevel worst;
  for (const PrivacyLevel& each : blocks) keep_worst(worst, each.epsilon, each.truth, each.alternative);
  const auto difference =
      piece(worst.truth, 0, channel.outputs) - piece(worst.alternative, 0, channel.outputs);
  Eigen::Index report = 0;
  difference.maxCoeff(&report);
  worst.report = static_cast<std::size_t>(report);
  return worst;
}

PrivacyLevel local_privacy(const Channel& channel) {
  check_channel(channel);
  std::vector<std::size_t> likeliest(channel.outputs, 0);
  std::vector<std::size_t> rarest(channel.outputs, 0);
  for (std::size_t x = 1; x < channel.inputs; ++x) {
    for (std::size_t y = 0; y < channel.outputs; ++y) {
      if (channel(x, y) > channel(likeliest[y], y)) likeliest[y] = x;
      if (channel(x, y) < channel(rarest[y], y)) rarest[y] = x;
    }
  }
  PrivacyLevel worst;
  for (std::size_t y = 0; y < channel.outputs; ++y) {
    const double high = channel(likeliest[y], y);
    const double low = channel(rarest[y], y);
    const double epsilon = high == low ? 0 : low == 0 ? kInfinity : std::log(high) - std::log(low);
    if (epsilon > worst.epsilon) worst = {epsilon, likeliest[y], rarest[y], y};
  }
  return worst;
}

ApproximateLevel approximate_privacy(const Channel& channel, const Distances& metric, double epsilon) {
  check_channel(channel);
  check_metric_of(channel, metric);
  if (!(epsilon >= 0)) fail(Fault::kConfig, "epsilon must be 0 or positive");
  const auto piece = [&](std::size_t x, std::size_t begin, std::size_t length) {
    return Row(channel.probability.data() + x * channel.outputs + begin, static_cast<Eigen::Index>(length));
  };
  const auto blocks = fold_pairs<BothExcesses, ApproximateLevel>(
      channel.inputs, channel.outputs,
      [&](BothExcesses& excess, std::size_t x, std::size_t other, std::size_t begin, std::size_t length) {
        const Row a = piece(x, begin, length);
        const Row b = piece(other, begin, length);
        excess.forth.add(discount(epsilon, metric(x, other)), a, b);
        excess.back.add(discount(epsilon, metric(other, x)), b, a);
      },
      [&](ApproximateLevel& worst, std::size_t x, std::size_t other, const BothExcesses& excess) {
        keep_worst(worst, excess.forth, x, other);
        keep_worst(worst, excess.back, other, x);
      });
  ApproximateLevel worst;
  for (const ApproximateLevel& each : blocks)
    keep_worst(worst, {each.delta, each.pointwise}, each.truth, each.alternative);
  return worst;
}

}  // namespace earshot
