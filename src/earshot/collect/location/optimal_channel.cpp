#include "earshot/collect/location/optimal_channel.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <ClpSimplex.hpp>
#include <fmt/format.h>

#include "earshot/collect/location/distance_channels.hpp"
#include "earshot/collect/location/privacy_check.hpp"
#include "earshot/collect/location/spanner.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

/// Rows of the program in the form the solver takes them.
struct Program {
  std::vector<int> starts{0};
  std::vector<int> columns;
  std::vector<double> values;
  std::vector<double> lower;
  std::vector<double> upper;

  void end_row(double low, double high) {
    starts.push_back(static_cast<int>(columns.size()));
    lower.push_back(low);
    upper.push_back(high);
  }
  void add(std::size_t column, double value) {
    columns.push_back(static_cast<int>(column));
    values.push_back(value);
  }
};

/// P[y | x] <= e^(rate d(x, x')) P[y | x'] both ways along every edge, and rows that sum to 1. Beyond e^30 a
/// constraint is below the solver's tolerance.
Program program_of(const Distances& metric, std::size_t outputs, const std::vector<PlacePair>& edges,
                   double rate) {
  Program program;
  for (std::size_t x = 0; x < metric.inputs; ++x) {
    for (std::size_t y = 0; y < outputs; ++y) program.add(x * outputs + y, 1);
    program.end_row(1, 1);
  }
  for (const auto& [a, b] : edges) {
    const double factor = std::exp(-std::min(30.0, rate * metric(a, b)));
    for (std::size_t y = 0; y < outputs; ++y) {
      for (const auto& [x, z] : {PlacePair{a, b}, PlacePair{b, a}}) {
        program.add(x * outputs + y, factor);
        program.add(z * outputs + y, -1);
        program.end_row(-COIN_DBL_MAX, 0);
      }
    }
  }
  return program;
}

std::vector<double> solve(const Program& program, const std::vector<double>& costs) {
  const auto rows = static_cast<int>(program.lower.size());
  const auto columns = static_cast<int>(costs.size());
  ClpSimplex solver;
  solver.setLogLevel(0);
  CoinPackedMatrix matrix(false, columns, rows, static_cast<CoinBigIndex>(program.values.size()),
                          program.values.data(), program.columns.data(), program.starts.data(), nullptr);
  const std::vector<double> zero(costs.size(), 0);
  const std::vector<double> one(costs.size(), 1);
  solver.loadProblem(matrix, zero.data(), one.data(), costs.data(), program.lower.data(),
                     program.upper.data());
  solver.dual();  // losses are not negative, so the slack basis is dual feasible
  if (!solver.isProvenOptimal())
    fail(Fault::kNumeric,
         fmt::format("the linear program of the optimal mechanism was not solved (status {}); try another "
                     "epsilon, fewer cells, or a larger dilation",
                     solver.status()));
  return {solver.getColSolution(), solver.getColSolution() + costs.size()};
}

/// The least channel above this one that is private in every column, its rows then made to sum to 1: what
/// exceeds 1 is of the size of the solver's tolerance.
Channel mended(const Channel& channel, const Distances& metric, double epsilon) {
  Channel result = channel;
  for (std::size_t x = 0; x < channel.inputs; ++x) {
    const std::span<double> row = result.row(x);
    std::ranges::fill(row, 0.0);
    for (std::size_t z = 0; z < channel.inputs; ++z) {
      const double factor = std::exp(-epsilon * metric(x, z));
      for (std::size_t y = 0; y < channel.outputs; ++y)
        row[y] = std::max(row[y], factor * std::max(0.0, channel(z, y)));
    }
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    for (double& p : row) p /= sum;
  }
  return result;
}

double expected_loss(std::span<const double> prior, const Channel& channel, const Distances& loss) {
  double sum = 0;
  for (std::size_t x = 0; x < channel.inputs; ++x)
    for (std::size_t y = 0; y < channel.outputs; ++y) sum += prior[x] * channel(x, y) * loss(x, y);
  return sum;
}

void check_input(std::span<const double> prior, const Distances& metric, const Distances& loss,
                 double epsilon) {
  if (!(epsilon > 0) || !std::isfinite(epsilon))
    fail(Fault::kConfig, "the optimal mechanism needs a positive, finite epsilon");
  if (metric.inputs == 0 || metric.inputs > kMostOptimalPlaces)
    fail(Fault::kConfig,
         fmt::format("the optimal mechanism is computed for 1 to {} places, not {}: use a coarser grid, or "
                     "another mechanism",
                     kMostOptimalPlaces, metric.inputs));
  if (prior.size() != metric.inputs || metric.outputs != metric.inputs || loss.inputs != metric.inputs ||
      loss.outputs == 0)
    fail(Fault::kConfig, "prior, metric and loss must speak of the same places");
}

}  // namespace

OptimalChannel optimal_channel(std::span<const double> prior, const Distances& metric, const Distances& loss,
                               double epsilon, double dilation) {
  check_input(prior, metric, loss, epsilon);
  const std::vector<PlacePair> edges = greedy_spanner(metric, dilation);
  std::vector<double> costs;
  for (std::size_t x = 0; x < loss.inputs; ++x)
    for (const double d : loss.row(x)) costs.push_back(prior[x] * d);
  for (double slack = 1e-7; slack < 0.1; slack *= 10) {
    const double rate = epsilon * (1 - slack);
    const Program program = program_of(metric, loss.outputs, edges, rate / spanner_dilation(metric, edges));
    const Channel solved{loss.inputs, loss.outputs, solve(program, costs)};
    Channel channel = mended(solved, metric, rate);
    if (metric_privacy(channel, metric).epsilon > epsilon) continue;
    const double reached = expected_loss(prior, channel, loss);
    return {std::move(channel), reached, program.lower.size()};
  }
  fail(Fault::kNumeric, "the solver's tolerance is too coarse for this epsilon; choose a smaller one");
}

}  // namespace earshot
