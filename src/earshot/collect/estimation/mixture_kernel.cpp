#include "earshot/collect/estimation/mixture_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <cblas.h>

#include "earshot/core/error.hpp"
#include "earshot/core/parallel.hpp"

namespace earshot {
namespace {

// Chunks are fixed by the matrix, not by the threads, and so is the order in which they are added up.
constexpr std::size_t kMostChunks = 16;
constexpr std::size_t kEntriesWorthAThread = std::size_t{1} << 18;
// Half of a usual second-level cache, so that the second product of a block finds its rows there.
constexpr std::size_t kBlockEntries = (std::size_t{256} << 10) / sizeof(double);

/// Four sums side by side: the compiler may not reorder one.
double dot(const double* a, const double* b, std::size_t count) {
  double sum[4] = {0, 0, 0, 0};
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (std::size_t k = 0; k < 4; ++k) sum[k] += a[i + k] * b[i + k];
  }
  for (; i < count; ++i) sum[0] += a[i] * b[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

void add_scaled(double factor, const double* a, double* out, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) out[i] += factor * a[i];
}

}  // namespace

MixtureKernel::MixtureKernel(std::size_t rows, std::size_t columns, std::size_t entries)
    : rows_(rows),
      columns_(columns),
      chunks_(std::clamp<std::size_t>(entries / kEntriesWorthAThread, 1,
                                      std::min(kMostChunks, std::max<std::size_t>(rows, 1)))) {
  if (rows == 0 || columns == 0) fail(Fault::kData, "a mechanism needs at least one place and one report");
}

PassScratch MixtureKernel::scratch() const {
  return {std::vector<double>(rows_), std::vector<double>(chunks_ * columns_), std::vector<double>(chunks_)};
}

double MixtureKernel::weigh(const Chunk& chunk, std::size_t first, std::size_t last) {
  double sum = 0;
  for (std::size_t i = first; i < last; ++i) {
    const double weight = chunk.weights[i];
    double& z = chunk.normaliser[i];
    if (weight == 0) {
      z = 0;
    } else if (z > 0) {
      sum += weight * std::log(z);
      z = weight / z;
    } else {
      sum = -std::numeric_limits<double>::infinity();
      z = 0;
    }
  }
  return sum;
}

double MixtureKernel::pass(std::span<const double> weights, std::span<const double> mixture,
                           std::span<double> gain, PassScratch& scratch) const {
  const auto run_chunk = [&](std::size_t k) {
    const std::span<double> own =
        k == 0 ? gain : std::span(scratch.partial_gain).subspan(k * columns_, columns_);
    std::ranges::fill(own, 0.0);
    scratch.log_likelihood[k] = pass_chunk(
        {rows_ * k / chunks_, rows_ * (k + 1) / chunks_, weights, mixture, scratch.normaliser, own});
  };
  // A reference wrapper fits into std::function without allocating.
  if (chunks_ == 1)
    run_chunk(0);
  else
    parallel_for(chunks_, std::cref(run_chunk));
  for (std::size_t k = 1; k < chunks_; ++k)
    add_scaled(1, scratch.partial_gain.data() + k * columns_, gain.data(), columns_);
  return std::accumulate(scratch.log_likelihood.begin(), scratch.log_likelihood.end(), 0.0);
}

DenseKernel::DenseKernel(std::size_t rows, std::size_t columns, std::vector<double> values)
    : MixtureKernel(rows, columns, values.size()),
      values_(std::move(values)),
      block_rows_(std::max<std::size_t>(4, kBlockEntries / columns / 4 * 4)) {
  if (values_.size() != rows * columns) fail(Fault::kInternal, "a dense kernel misses entries");
}

double DenseKernel::pass_chunk(const Chunk& chunk) const {
  const auto width = static_cast<blasint>(columns());
  double sum = 0;
  for (std::size_t first = chunk.first; first < chunk.last; first += block_rows_) {
    const std::size_t last = std::min(first + block_rows_, chunk.last);
    const auto height = static_cast<blasint>(last - first);
    const double* block = values_.data() + first * columns();
    double* z = chunk.normaliser.data() + first;
    cblas_dgemv(CblasRowMajor, CblasNoTrans, height, width, 1.0, block, width, chunk.mixture.data(), 1, 0.0,
                z, 1);
    sum += weigh(chunk, first, last);
    cblas_dgemv(CblasRowMajor, CblasTrans, height, width, 1.0, block, width, z, 1, 1.0, chunk.gain.data(), 1);
  }
  return sum;
}

RunKernel::RunKernel(std::size_t rows, std::size_t columns, const FillRow& row)
    : RunKernel(rows, columns, collect(rows, columns, row)) {}

RunKernel::RunKernel(std::size_t rows, std::size_t columns, Parts parts)
    : MixtureKernel(rows, columns, parts.values.size()),
      first_run_(std::move(parts.first_run)),
      runs_(std::move(parts.runs)),
      values_(std::move(parts.values)) {}

RunKernel::Parts RunKernel::collect(std::size_t rows, std::size_t columns, const FillRow& row) {
  Parts parts;
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < rows; ++i) {
    entries.clear();
    row(i, entries);
    std::size_t next = columns;  // the column that would carry on the present run
    for (const Entry& entry : entries) {
      if (entry.column != next || parts.runs.size() == parts.first_run.back())
        parts.runs.push_back({entry.column, 0, parts.values.size()});
      ++parts.runs.back().length;
      parts.values.push_back(entry.value);
      next = entry.column + 1;
    }
    parts.first_run.push_back(parts.runs.size());
  }
  return parts;
}

RunKernel RunKernel::scaled(std::span<const double> row_factor, std::span<const double> column_factor) const {
  RunKernel result = *this;
  for (std::size_t i = 0; i < rows(); ++i) {
    for (const Run& run : runs(i)) {
      for (std::size_t k = 0; k < run.length; ++k)
        result.values_[run.offset + k] *= row_factor[i] * column_factor[run.column + k];
    }
  }
  return result;
}

RunKernel RunKernel::transposed() const {
  std::vector<std::vector<Entry>> by_column(columns());
  for (std::size_t i = 0; i < rows(); ++i) {
    for (const Run& run : runs(i)) {
      for (std::size_t k = 0; k < run.length; ++k)
        by_column[run.column + k].push_back({i, values_[run.offset + k]});
    }
  }
  return RunKernel(columns(), rows(),
                   [&](std::size_t j, std::vector<Entry>& entries) { entries.swap(by_column[j]); });
}

double RunKernel::pass_chunk(const Chunk& chunk) const {
  double sum = 0;
  for (std::size_t i = chunk.first; i < chunk.last; ++i) {
    if (chunk.weights[i] == 0) continue;
    double& z = chunk.normaliser[i];
    z = 0;
    for (const Run& run : runs(i))
      z += dot(values_.data() + run.offset, chunk.mixture.data() + run.column, run.length);
    sum += weigh(chunk, i, i + 1);
    for (const Run& run : runs(i))
      add_scaled(z, values_.data() + run.offset, chunk.gain.data() + run.column, run.length);
  }
  return sum;
}

void apply_gain(std::span<double> mixture, std::span<const double> gain) {
  for (std::size_t j = 0; j < mixture.size(); ++j) mixture[j] *= gain[j];
}

double optimality_gap(std::span<const double> gain) {
  return std::max(0.0, std::log(std::ranges::max(gain)));
}

}  // namespace earshot
