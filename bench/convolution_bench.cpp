// Gradient and pullback of single convolutions, as a share of OpenBLAS's rate on a large product in the same
// run.
#include <algorithm>
#include <ctime>
#include <vector>

#include <benchmark/benchmark.h>
#include <cblas.h>

#include "earshot/core/parallel.hpp"
#include "earshot/core/random.hpp"
#include "earshot/model/native/layers.hpp"

namespace earshot {
namespace {

void blas_product(int n, const double* a, const double* b, double* c) {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
}
void blas_product(int n, const float* a, const float* b, float* c) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
}

template <class Real>
std::vector<Real> numbers(std::size_t size) {
  Stream stream({1, Purpose::kTest});
  std::vector<Real> values(size);
  for (Real& value : values) value = static_cast<Real>(stream.normal());
  return values;
}

/// Operations per second of processor time of a 512 x 512 product, the best of several. Rates of benchmarks
/// are per processor time too: by the clock on the wall a busy machine would slow only this one down.
template <class Real>
double reference_rate() {
  set_thread_count(1);
  constexpr int kSize = 512;
  const auto a = numbers<Real>(kSize * kSize), b = a;
  auto c = a;
  double best = 1e9;
  for (int i = 0; i < 12; ++i) {
    const std::clock_t start = std::clock();
    blas_product(kSize, a.data(), b.data(), c.data());
    benchmark::ClobberMemory();
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return 2.0 * kSize * kSize * kSize / best;
}

struct Example {
  const char* name;
  Convolve layer;
  Shape in;
  std::size_t rows;
};
const std::vector<Example> kExamples{
    {"LeNet 3x32x32, 12 of 5x5 by 2, batch 8", {12, 5, 5, 2, 2, 2, true}, {3, 32, 32}, 8},
    {"LeNet 12x16x16, 12 of 5x5 by 2, batch 8", {12, 5, 5, 2, 2, 2, true}, {12, 16, 16}, 8},
    {"LeNet 12x8x8, 12 of 5x5, batch 8", {12, 5, 5, 1, 2, 2, true}, {12, 8, 8}, 8},
    {"1-D 1x105, 16 of 3, batch 8", {16, 1, 3, 1, 0, 0, true}, {1, 1, 105}, 8},
    {"64x56x56, 64 of 3x3, batch 1", {64, 3, 3, 1, 1, 1, true}, {64, 56, 56}, 1},
    {"512x4x4, 512 of 3x3, batch 8", {512, 3, 3, 1, 1, 1, true}, {512, 4, 4}, 8},
    {"fire 64x55x55, 16 of 1x1, batch 1", {16, 1, 1, 1, 0, 0, true}, {64, 55, 55}, 1},
};

PlacedLayer place_of(const Example& example) {
  const Convolve& l = example.layer;
  PlacedLayer place;
  place.in = example.in;
  place.out = {l.channels, (example.in.height + 2 * l.padding_height - l.kernel_height) / l.stride + 1,
               (example.in.width + 2 * l.padding_width - l.kernel_width) / l.stride + 1};
  place.parameter_count = l.channels * (example.in.channels * l.kernel_height * l.kernel_width + 1);
  return place;
}

/// Forward, backward and gradient are one product each, the two tangent sweeps two.
double operations(const Example& example, const PlacedLayer& place) {
  const Convolve& l = example.layer;
  const auto taps = static_cast<double>(example.in.channels * l.kernel_height * l.kernel_width);
  return 7 * 2 * taps * static_cast<double>(place.out.size() * example.rows);
}

template <class Real>
void BM_GradientAndPullback(benchmark::State& state) {
  const Example& example = kExamples[static_cast<std::size_t>(state.range(0))];
  const PlacedLayer place = place_of(example);
  const auto layer = make_convolution<Real>(example.layer, place);
  const std::size_t in_size = example.rows * place.in.size(), out_size = example.rows * place.out.size();
  const auto in = numbers<Real>(in_size), adjoint = numbers<Real>(out_size),
             parameters = numbers<Real>(place.parameter_count);
  std::vector<Real> out(out_size), in_adjoint(in_size), gradient(place.parameter_count);
  LayerState<Real> s;
  s.in = s.in_tangent = in.data();
  s.out_adjoint = s.out_adjoint_tangent = adjoint.data();
  s.parameters = s.direction = {parameters.data(), 0};
  const double rate = reference_rate<Real>();
  const Call<Real> call{.count = 1, .rows = example.rows};
  for (auto _ : state) {
    layer->forward(call, s, out.data());
    layer->backward(call, s, in_adjoint.data());
    layer->parameter_gradient(call, s, {gradient.data(), 0});
    layer->tangent(call, s, out.data());
    layer->tangent_backward(call, s, in_adjoint.data());
    benchmark::ClobberMemory();
  }
  state.SetLabel(example.name);
  state.counters["of_gemm"] =
      benchmark::Counter(operations(example, place) / rate, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["gemm_gflops"] = rate / 1e9;
}
BENCHMARK(BM_GradientAndPullback<double>)->DenseRange(0, 6)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_GradientAndPullback<float>)->DenseRange(0, 6)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace earshot
