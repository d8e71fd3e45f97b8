// A randomised report of one of finitely many places: the probability of every report for every truth, and
// distances between truths and reports.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace earshot {

/// Row-stochastic matrix, row-major: probability(x, y) of reporting y when the truth is x.
struct Channel {
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  std::vector<double> probability{};

  double operator()(std::size_t x, std::size_t y) const { return probability[x * outputs + y]; }
  std::span<const double> row(std::size_t x) const { return {probability.data() + x * outputs, outputs}; }
  std::span<double> row(std::size_t x) { return {probability.data() + x * outputs, outputs}; }
};

/// Distances d(x, y) of every truth to every report, row-major; square and symmetric where truths and reports
/// are the same places.
struct Distances {
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  std::vector<double> value{};

  double operator()(std::size_t x, std::size_t y) const { return value[x * outputs + y]; }
  std::span<const double> row(std::size_t x) const { return {value.data() + x * outputs, outputs}; }
};

}  // namespace earshot
