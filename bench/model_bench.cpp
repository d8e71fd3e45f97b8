// The native engine: gradient and pullback per problem of a small perceptron, many problems per call, and of
// a large one as a share of OpenBLAS's rate measured in the same run. DP-SGD's clipped sums against plain
// gradients.
#include <algorithm>
#include <ctime>
#include <limits>

#include <benchmark/benchmark.h>
#include <cblas.h>

#include "earshot/core/parallel.hpp"
#include "earshot/model/native/native_model.hpp"
#include "model_cases.hpp"

namespace earshot {
namespace {

template <class Real>
std::unique_ptr<Evaluation<Real>> evaluation_of(const Model& model);
template <>
std::unique_ptr<Evaluation<float>> evaluation_of(const Model& model) {
  return model.fast_evaluation();
}
template <>
std::unique_ptr<Evaluation<double>> evaluation_of(const Model& model) {
  return model.evaluation();
}

/// Problems per call, records per problem.
template <class Real>
void BM_SmallPerceptron(benchmark::State& state) {
  set_thread_count(1);
  const auto model = make_native_model(small_perceptron());
  const auto evaluation = evaluation_of<Real>(*model);
  ModelWork<Real> work(small_perceptron(), static_cast<std::size_t>(state.range(0)),
                       static_cast<std::size_t>(state.range(1)));
  for (auto _ : state) work.step(*evaluation);
  const double steps = static_cast<double>(state.iterations()) * static_cast<double>(state.range(0));
  state.counters["problems"] = benchmark::Counter(steps, benchmark::Counter::kIsRate);
  state.counters["flops"] = benchmark::Counter(steps * step_flops(small_perceptron(), work.problems.rows),
                                               benchmark::Counter::kIsRate);
}
void small_sizes(benchmark::internal::Benchmark* bench) {
  for (const int count : {1, 8, 32, 128}) bench->Args({count, 8});
  bench->Args({128, 1})->Args({32, 64})->Unit(benchmark::kMicrosecond);
}
BENCHMARK(BM_SmallPerceptron<float>)->Name("mlp_105_100_100_2_float")->Apply(small_sizes);
BENCHMARK(BM_SmallPerceptron<double>)->Name("mlp_105_100_100_2_double")->Apply(small_sizes);

void multiply(int m, int n, int k, const float* a, const float* b, float* c) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a, k, b, n, 0, c, n);
}
void multiply(int m, int n, int k, const double* a, const double* b, double* c) {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a, k, b, n, 0, c, n);
}

/// OpenBLAS on the large perceptron's middle layer: flop per second of processor time, the best of several,
/// since the benchmarks' rates are by processor time, too.
template <class Real>
double openblas_rate(int rows) {
  const int width = 1000;
  const std::vector<Real> a(static_cast<std::size_t>(rows * width), Real(0.5)),
      b(static_cast<std::size_t>(width * width), Real(0.25));
  std::vector<Real> c(a.size());
  double best = std::numeric_limits<double>::infinity();
  for (int trial = 0; trial < 20; ++trial) {
    const std::clock_t start = std::clock();
    multiply(rows, width, width, a.data(), b.data(), c.data());
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return 2.0 * rows * width * width / best;
}

template <class Real>
void BM_LargePerceptron(benchmark::State& state) {
  set_thread_count(1);
  const auto model = make_native_model(large_perceptron());
  const auto evaluation = evaluation_of<Real>(*model);
  ModelWork<Real> work(large_perceptron(), 1, static_cast<std::size_t>(state.range(0)));
  const double reference = openblas_rate<Real>(static_cast<int>(state.range(0)));
  for (auto _ : state) work.step(*evaluation);
  const double flops =
      static_cast<double>(state.iterations()) * step_flops(large_perceptron(), work.problems.rows);
  state.counters["flops"] = benchmark::Counter(flops, benchmark::Counter::kIsRate);
  state.counters["share_of_openblas"] = benchmark::Counter(flops / reference, benchmark::Counter::kIsRate);
}
BENCHMARK(BM_LargePerceptron<float>)
    ->Name("mlp_784_1000_1000_10_float")
    ->Arg(128)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_LargePerceptron<double>)
    ->Name("mlp_784_1000_1000_10_double")
    ->Arg(128)
    ->Unit(benchmark::kMillisecond);

/// DP-SGD: a batch of 256 records, clipped record by record, against its plain gradient.
template <bool clipped>
void BM_Batch(benchmark::State& state) {
  set_thread_count(1);
  const auto model = make_native_model(small_perceptron());
  const auto evaluation = model->evaluation();
  ModelWork<double> work(small_perceptron(), 1, 256);
  for (auto _ : state) {
    if constexpr (clipped) {
      evaluation->clipped_sums(work.problems, 0.5, {}, work.gradients);
    } else {
      evaluation->gradients(work.problems, work.losses, work.gradients);
    }
  }
}
BENCHMARK(BM_Batch<false>)->Name("gradient_of_256")->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_Batch<true>)->Name("clipped_sum_of_256")->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace earshot
