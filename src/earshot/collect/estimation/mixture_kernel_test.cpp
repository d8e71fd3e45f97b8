#include "earshot/collect/estimation/mixture_kernel.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "earshot/collect/estimation/test_mixtures.hpp"
#include "earshot/core/parallel.hpp"

namespace earshot {
namespace {

using ::earshot::testing::largest_difference;
using ::earshot::testing::random_distribution;

struct Outcome {
  double log_likelihood;
  std::vector<double> gain;
  bool operator==(const Outcome&) const = default;
};

Outcome pass(const MixtureKernel& kernel, std::span<const double> weights, std::span<const double> mixture) {
  PassScratch scratch = kernel.scratch();
  Outcome outcome{0, std::vector<double>(kernel.columns())};
  outcome.log_likelihood = kernel.pass(weights, mixture, outcome.gain, scratch);
  return outcome;
}

/// Positive entries near the diagonal, none far from it.
double band_entry(std::size_t i, std::size_t j) {
  const double gap = std::abs(static_cast<double>(i) - static_cast<double>(j));
  return gap <= 40 && (i + j) % 7 != 0 ? std::exp(-gap / 9) : 0;
}

DenseKernel dense_band(std::size_t rows, std::size_t columns) {
  std::vector<double> values;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) values.push_back(band_entry(i, j));
  }
  return {rows, columns, std::move(values)};
}

RunKernel run_band(std::size_t rows, std::size_t columns) {
  return {rows, columns, [columns](std::size_t i, std::vector<RunKernel::Entry>& entries) {
            for (std::size_t j = 0; j < columns; ++j) {
              if (band_entry(i, j) > 0) entries.push_back({j, band_entry(i, j)});
            }
          }};
}

TEST(MixtureKernel, APassIsTwoProducts) {
  Stream stream({1, Purpose::kTest});
  const std::size_t rows = 90;
  const std::size_t columns = 70;
  const std::vector<double> weights = random_distribution(rows, stream, 0.3);
  const std::vector<double> mixture = random_distribution(columns, stream);
  std::vector<double> gain(columns);
  double sum = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    if (weights[i] == 0) continue;
    double z = 0;
    for (std::size_t j = 0; j < columns; ++j) z += band_entry(i, j) * mixture[j];
    sum += weights[i] * std::log(z);
    for (std::size_t j = 0; j < columns; ++j) gain[j] += weights[i] * band_entry(i, j) / z;
  }
  for (const Outcome& outcome :
       {pass(dense_band(rows, columns), weights, mixture), pass(run_band(rows, columns), weights, mixture)}) {
    EXPECT_NEAR(outcome.log_likelihood, sum, 1e-13);
    EXPECT_LT(largest_difference(outcome.gain, gain), 1e-12);
  }
}

TEST(MixtureKernel, SameBitsForAnyNumberOfThreads) {
  Stream stream({2, Purpose::kTest});
  const std::size_t size = 900;  // three chunks when dense
  const DenseKernel dense = dense_band(size, size);
  const std::vector<double> weights = random_distribution(size, stream);
  const std::vector<double> mixture = random_distribution(size, stream);
  set_thread_count(1);
  const Outcome alone = pass(dense, weights, mixture);
  set_thread_count(2);
  EXPECT_EQ(pass(dense, weights, mixture), alone);
  set_thread_count(0);
  const Outcome sparse = pass(run_band(size, size), weights, mixture);
  EXPECT_LT(largest_difference(sparse.gain, alone.gain), 1e-11);
}

TEST(MixtureKernel, ImpossibleRowsSaySo) {
  const DenseKernel kernel(2, 2, {1, 0, 0, 0});
  const Outcome outcome = pass(kernel, std::vector{0.5, 0.5}, std::vector{0.5, 0.5});
  EXPECT_EQ(outcome.log_likelihood, -HUGE_VAL);
  EXPECT_EQ(pass(kernel, std::vector{1.0, 0.0}, std::vector{0.5, 0.5}).log_likelihood, std::log(0.5));
}

TEST(MixtureKernel, RunsAreScaledAndTransposed) {
  Stream stream({3, Purpose::kTest});
  const RunKernel kernel = run_band(60, 50);
  const std::vector<double> by_row = random_distribution(60, stream);
  const std::vector<double> by_column = random_distribution(50, stream);
  const RunKernel changed = kernel.scaled(by_row, by_column).transposed();
  EXPECT_EQ(changed.entries(), kernel.entries());
  std::size_t seen = 0;
  for (std::size_t j = 0; j < 50; ++j) {
    for (const RunKernel::Run& run : changed.runs(j)) {
      for (std::size_t k = 0; k < run.length; ++k, ++seen)
        EXPECT_DOUBLE_EQ(changed.values(run)[k],
                         band_entry(run.column + k, j) * by_row[run.column + k] * by_column[j]);
    }
  }
  EXPECT_EQ(seen, kernel.entries());
}

}  // namespace
}  // namespace earshot
