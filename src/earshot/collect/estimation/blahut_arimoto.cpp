#include "earshot/collect/estimation/blahut_arimoto.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "earshot/collect/estimation/distribution.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/finite.hpp"
#include "earshot/core/parallel.hpp"

namespace earshot {
namespace {

// A probability below this is no longer told from zero with full precision.
constexpr double kSmallestProbability = 1e-300;

void check_beta(double beta, double largest_distance) {
  if (!(beta >= 0) || !std::isfinite(beta))
    fail(Fault::kConfig, "beta must be a finite number of at least 0");
  if (beta * largest_distance > BlahutArimoto::kLargestExponent)
    fail(Fault::kConfig, fmt::format("beta {} times the largest distance {} exceeds {}, so some "
                                     "probabilities would vanish and break the "
                                     "guarantee; lower beta to {:.4g} or take a smaller area",
                                     beta, largest_distance, BlahutArimoto::kLargestExponent,
                                     BlahutArimoto::kLargestExponent / largest_distance));
}

DenseKernel exponential_weights(const Distances& distances, double beta) {
  if (distances.value.size() != distances.inputs * distances.outputs || distances.value.empty())
    fail(Fault::kData, "distances need one number for every pair of truth and report");
  const auto [least, largest] = std::ranges::minmax(distances.value);
  if (!all_finite(distances.value) || least < 0) fail(Fault::kData, "a distance is negative or not finite");
  check_beta(beta, largest);
  std::vector<double> values(distances.value.size());
  parallel_for(distances.inputs, [&](std::size_t x) {
    for (std::size_t i = x * distances.outputs; i < (x + 1) * distances.outputs; ++i)
      values[i] = std::exp(-beta * distances.value[i]);
  });
  return DenseKernel(distances.inputs, distances.outputs, std::move(values));
}

double smallest_entry(const DenseKernel& kernel) {
  double smallest = 1;
  for (std::size_t x = 0; x < kernel.rows(); ++x)
    smallest = std::min(smallest, std::ranges::min(kernel.row(x)));
  return smallest;
}

std::vector<double> start_of(const BlahutArimotoOptions& options, std::size_t reports) {
  if (options.start.empty()) return uniform_distribution(reports);
  check_distribution(options.start, reports, "the start of Blahut-Arimoto");
  if (std::ranges::any_of(options.start, [](double c) { return c == 0; }))
    fail(Fault::kConfig,
         "the start of Blahut-Arimoto must be positive everywhere: a report of probability 0 stays "
         "impossible");
  return options.start;
}

/// The first index no further than `reach` from `centre`.
std::size_t first_within(std::size_t centre, double reach) {
  return reach >= static_cast<double>(centre) ? 0 : centre - static_cast<std::size_t>(reach);
}

bool near(std::size_t index, std::size_t centre, double reach) {
  return index <= centre || static_cast<double>(index - centre) <= reach;
}

void check_shape(std::span<const double> shape, std::size_t reports) {
  check_counts(shape, reports, "the shape of a channel");
}

}  // namespace

BlahutArimotoRun iterate_blahut_arimoto(const MixtureKernel& kernel, std::span<const double> prior,
                                        const BlahutArimotoOptions& options) {
  check_distribution(prior, kernel.rows(), "the prior");
  if (options.iterations == 0) fail(Fault::kConfig, "Blahut-Arimoto needs at least one iteration");
  if (!(options.precision >= 0))
    fail(Fault::kConfig, "the precision of Blahut-Arimoto must be at least 0 nats");
  BlahutArimotoRun run;
  run.marginal = start_of(options, kernel.columns());
  run.shape = run.marginal;
  std::vector<double> gain(kernel.columns());
  PassScratch scratch = kernel.scratch();
  do {
    std::ranges::copy(run.marginal, run.shape.begin());
    run.objective = -kernel.pass(prior, run.shape, gain, scratch);
    run.gap = optimality_gap(gain);
    apply_gain(run.marginal, gain);
    ++run.iterations;
  } while (run.iterations < options.iterations && !(run.gap <= options.precision && options.precision > 0));
  if (!std::isfinite(run.objective))
    fail(Fault::kNumeric, "a place has no report left within reach; keep more of the tail of the kernel");
  return run;
}

BlahutArimoto::BlahutArimoto(const Distances& distances, double beta)
    : kernel_(exponential_weights(distances, beta)), smallest_(smallest_entry(kernel_)) {}

BlahutArimotoRun BlahutArimoto::run(std::span<const double> prior,
                                    const BlahutArimotoOptions& options) const {
  return iterate_blahut_arimoto(kernel_, prior, options);
}

Channel BlahutArimoto::channel(std::span<const double> shape) const {
  check_shape(shape, kernel_.columns());
  std::vector<double> kept = normalised(shape);
  for (double& c : kept) c = c * smallest_ < kSmallestProbability ? 0 : c;
  Channel channel{kernel_.rows(), kernel_.columns(), std::vector<double>(kernel_.rows() * kernel_.columns())};
  const auto fill_row = [&](std::size_t x) {
    const std::span<const double> from = kernel_.row(x);
    const std::span<double> to = channel.row(x);
    double sum = 0;
    for (std::size_t y = 0; y < to.size(); ++y) sum += to[y] = kept[y] * from[y];
    for (double& p : to) p /= sum;
  };
  parallel_for(kernel_.rows(), fill_row);
  return channel;
}

RunKernel truncated_exponential_kernel(std::size_t rows, std::size_t columns, double beta, double tail) {
  check_beta(beta, 0);
  if (!(tail > 0 && tail <= 1)) fail(Fault::kConfig, "the tail of a truncated kernel must lie in (0, 1]");
  const auto reach = beta > 0 ? -std::log(tail) / beta : std::numeric_limits<double>::infinity();
  const auto fill_row = [&](std::size_t place, std::vector<RunKernel::Entry>& entries) {
    const std::size_t row = place / columns;
    const std::size_t column = place % columns;
    for (std::size_t r = first_within(row, reach); r < rows && near(r, row, reach); ++r) {
      const double down = static_cast<double>(r) - static_cast<double>(row);
      const double across = std::sqrt(std::max(0.0, reach * reach - down * down));
      for (std::size_t c = first_within(column, across); c < columns && near(c, column, across); ++c) {
        const double distance = std::hypot(down, static_cast<double>(c) - static_cast<double>(column));
        entries.push_back({r * columns + c, std::exp(-beta * distance)});
      }
    }
  };
  return RunKernel(rows * columns, rows * columns, fill_row);
}

TruncatedChannel truncated_channel(const RunKernel& kernel, std::span<const double> shape, double tail) {
  check_shape(shape, kernel.columns());
  const std::vector<double> marginal = normalised(shape);
  std::vector<double> inverse(kernel.rows());
  double missing = 0;
  for (std::size_t x = 0; x < kernel.rows(); ++x) {
    double inside = 0;
    double z = 0;
    for (const RunKernel::Run& run : kernel.runs(x)) {
      const std::span<const double> values = kernel.values(run);
      for (std::size_t k = 0; k < run.length; ++k) {
        z += values[k] * marginal[run.column + k];
        inside += marginal[run.column + k];
      }
    }
    if (!(z > 0))
      fail(Fault::kNumeric, "a place has no report left within reach; keep more of the tail of the kernel");
    inverse[x] = 1 / z;
    // What lies outside weighs less than `tail` each.
    missing = std::max(missing, tail * (1 - inside) / (z + tail * (1 - inside)));
  }
  return {kernel.scaled(inverse, marginal), missing};
}

}  // namespace earshot
