// Places: a cycle of PRIVIC by its parts, one iteration on 5,000 cells against the two matrix-vector products
// it needs, and truncated kernels beyond that, against reading what they store. All priors are synthetic;
// speed does not depend on them.
#include <cmath>
#include <vector>

#include <benchmark/benchmark.h>
#include <cblas.h>
#include <time.h>

#include "earshot/collect/estimation/distribution.hpp"
#include "earshot/collect/privic/privic_collector.hpp"
#include "earshot/collect/privic/reporters.hpp"
#include "earshot/core/parallel.hpp"

namespace earshot {
namespace {

Distances grid_distances(std::size_t rows, std::size_t columns) {
  Distances d{rows * columns, rows * columns, std::vector<double>(rows * rows * columns * columns)};
  for (std::size_t x = 0; x < d.inputs; ++x) {
    for (std::size_t y = 0; y < d.outputs; ++y)
      d.value[x * d.outputs + y] =
          std::hypot(static_cast<double>(x / columns) - static_cast<double>(y / columns),
                     static_cast<double>(x % columns) - static_cast<double>(y % columns));
  }
  return d;
}

std::vector<std::size_t> crowd(std::size_t cells, std::size_t people) {
  std::vector<std::size_t> counts(cells);
  for (std::size_t x = 0; x < cells; ++x) counts[x] = people * 2 * (x + 1) / (cells * (cells + 1));
  return counts;
}

/// Nowhere zero: truncated kernels skip rows of no weight.
std::vector<double> shares(std::size_t cells) {
  const std::vector<std::size_t> counts = crowd(cells, 1'000'000'000'000);
  return normalised(std::vector<double>(counts.begin(), counts.end()));
}

/// Rows, columns, iterations.
void BM_BlahutArimoto(benchmark::State& state) {
  set_thread_count(1);
  const Distances d =
      grid_distances(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  const BlahutArimoto mechanism(d, 1);
  const std::vector<double> prior = shares(d.inputs);
  const BlahutArimotoOptions options{.iterations = static_cast<std::size_t>(state.range(2))};
  for (auto _ : state) benchmark::DoNotOptimize(mechanism.channel(mechanism.run(prior, options).shape));
}
BENCHMARK(BM_BlahutArimoto)
    ->Name("blahut_arimoto_cycle")
    ->Args({11, 15, 8})
    ->Args({16, 24, 5})
    ->Unit(benchmark::kMicrosecond);

void BM_BayesianUpdate(benchmark::State& state) {
  set_thread_count(1);
  const Distances d =
      grid_distances(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  const BlahutArimoto mechanism(d, 1);
  const std::vector<double> prior = shares(d.inputs);
  const ReportBatch batch{mechanism.channel(mechanism.run(prior, {}).shape), prior};
  const BayesianUpdateOptions options{.iterations = static_cast<std::size_t>(state.range(2))};
  for (auto _ : state) benchmark::DoNotOptimize(estimate_places(ReportLikelihood(batch), options));
}
BENCHMARK(BM_BayesianUpdate)
    ->Name("bayesian_update_cycle")
    ->Args({11, 15, 10})
    ->Args({16, 24, 5})
    ->Unit(benchmark::kMicrosecond);

/// A whole cycle with its simulated reports: rows, columns, people.
void BM_Cycle(benchmark::State& state) {
  set_thread_count(1);
  const Distances d =
      grid_distances(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  const Reporters people(crowd(d.inputs, static_cast<std::size_t>(state.range(2))), Turnout::kEverybody, 1,
                         {}, {});
  PrivicCollector collector(d, {.mechanism_iterations = 5, .estimate_iterations = 5});
  std::size_t cycle = 0;
  for (auto _ : state) collector.receive(people.reports(collector.channel(), cycle++));
}
BENCHMARK(BM_Cycle)
    ->Name("privic_cycle")
    ->Args({11, 15, 10'078})
    ->Args({16, 24, 123'025})
    ->Iterations(20)
    ->Unit(benchmark::kMillisecond);

/// The bound: K v and K^T w of 5,000 x 5,000 by two calls of OpenBLAS, one thread.
void BM_TwoProducts(benchmark::State& state) {
  set_thread_count(1);
  const auto n = static_cast<blasint>(state.range(0));
  const std::vector<double> matrix(static_cast<std::size_t>(n) * static_cast<std::size_t>(n), 0.5);
  std::vector<double> v(static_cast<std::size_t>(n), 1.0);
  std::vector<double> w(static_cast<std::size_t>(n));
  for (auto _ : state) {
    cblas_dgemv(CblasRowMajor, CblasNoTrans, n, n, 1.0, matrix.data(), n, v.data(), 1, 0.0, w.data(), 1);
    cblas_dgemv(CblasRowMajor, CblasTrans, n, n, 1e-9, matrix.data(), n, w.data(), 1, 0.0, v.data(), 1);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_TwoProducts)->Name("two_matrix_vector_products")->Arg(5000)->Unit(benchmark::kMillisecond);

/// Reads 5,000 x 5,000 numbers once and does nothing else: what memory alone allows.
void BM_ReadOnce(benchmark::State& state) {
  const std::vector<double> matrix(static_cast<std::size_t>(state.range(0) * state.range(0)), 0.5);
  for (auto _ : state)
    benchmark::DoNotOptimize(cblas_dasum(static_cast<blasint>(matrix.size()), matrix.data(), 1));
}
BENCHMARK(BM_ReadOnce)->Name("memory_read_once")->Arg(5000)->Unit(benchmark::kMillisecond);

/// One iteration of Blahut-Arimoto or of the Bayesian update: they are the same pass. Cells, threads.
void BM_Pass(benchmark::State& state) {
  set_thread_count(static_cast<std::size_t>(state.range(1)));
  const auto cells = static_cast<std::size_t>(state.range(0));
  const DenseKernel kernel(cells, cells, std::vector<double>(cells * cells, 0.5));
  const std::vector<double> weights = shares(cells);
  const std::vector<double> mixture = uniform_distribution(cells);
  std::vector<double> gain(cells);
  PassScratch scratch = kernel.scratch();
  for (auto _ : state) benchmark::DoNotOptimize(kernel.pass(weights, mixture, gain, scratch));
}
BENCHMARK(BM_Pass)
    ->Name("iteration_dense")
    ->Args({5000, 1})
    ->Args({5000, 2})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

/// The same on a square grid of 5,041 to 90,000 cells without the entries below 1e-6 (beta = 1): side,
/// threads.
void BM_TruncatedPass(benchmark::State& state) {
  set_thread_count(static_cast<std::size_t>(state.range(1)));
  const auto side = static_cast<std::size_t>(state.range(0));
  const RunKernel kernel = truncated_exponential_kernel(side, side, 1, 1e-6);
  const std::vector<double> weights = shares(side * side);
  const std::vector<double> mixture = uniform_distribution(side * side);
  std::vector<double> gain(side * side);
  PassScratch scratch = kernel.scratch();
  for (auto _ : state) benchmark::DoNotOptimize(kernel.pass(weights, mixture, gain, scratch));
  state.counters["entries"] = static_cast<double>(kernel.entries());
}
BENCHMARK(BM_TruncatedPass)
    ->Name("iteration_truncated")
    ->Args({71, 1})
    ->Args({200, 1})
    ->Args({300, 1})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

constexpr std::size_t kIterations = 10;

/// Processor time of this thread: what other programs do on a shared machine counts less than by the clock.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Ten iterations and then ten reads of the band they work on, in turns, so that both meet the same machine.
/// Reported is one iteration, in seconds, beside one read.
template <class Iterate>
void against_reading(benchmark::State& state, const RunKernel& kernel, Iterate iterate) {
  const std::span<const double> band(kernel.values(kernel.runs(0).front()).data(), kernel.entries());
  double iterating = 0;
  double reading = 0;
  for (auto _ : state) {
    const double start = thread_seconds();
    iterate();
    const double middle = thread_seconds();
    for (std::size_t i = 0; i < kIterations; ++i)
      benchmark::DoNotOptimize(cblas_dasum(static_cast<blasint>(band.size()), band.data(), 1));
    const double end = thread_seconds();
    iterating += middle - start;
    reading += end - middle;
    state.SetIterationTime((middle - start) / kIterations);
  }
  state.counters["megabytes"] = static_cast<double>(band.size_bytes()) / 1e6;
  state.counters["read_once_ms"] =
      1e3 * reading / static_cast<double>(kIterations) / static_cast<double>(state.iterations());
  state.counters["times_one_read"] = iterating / reading;
  state.counters["times_two_reads"] = iterating / reading / 2;
}

/// Blahut-Arimoto on a truncated kernel (beta = 1, entries below 1e-6 left out), one thread: side of the
/// grid.
void BM_BandedBlahutArimoto(benchmark::State& state) {
  set_thread_count(1);
  const auto side = static_cast<std::size_t>(state.range(0));
  const RunKernel kernel = truncated_exponential_kernel(side, side, 1, 1e-6);
  const std::vector<double> prior = shares(side * side);
  against_reading(state, kernel, [&] {
    benchmark::DoNotOptimize(iterate_blahut_arimoto(kernel, prior, {.iterations = kIterations}));
  });
}
BENCHMARK(BM_BandedBlahutArimoto)
    ->Name("banded_blahut_arimoto_iteration")
    ->Arg(200)
    ->Iterations(10)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

/// The Bayesian update on the channel made from it.
void BM_BandedBayesianUpdate(benchmark::State& state) {
  set_thread_count(1);
  const auto side = static_cast<std::size_t>(state.range(0));
  const std::vector<double> prior = shares(side * side);
  const RunKernel by_report = [&] {
    const RunKernel kernel = truncated_exponential_kernel(side, side, 1, 1e-6);
    const BlahutArimotoRun run = iterate_blahut_arimoto(kernel, prior, {.iterations = kIterations});
    return truncated_channel(kernel, run.shape, 1e-6).channel.transposed();
  }();
  against_reading(state, by_report, [&] {
    benchmark::DoNotOptimize(estimate_places(by_report, prior, {.iterations = kIterations}));
  });
}
BENCHMARK(BM_BandedBayesianUpdate)
    ->Name("banded_bayesian_update_iteration")
    ->Arg(200)
    ->Iterations(10)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace earshot
