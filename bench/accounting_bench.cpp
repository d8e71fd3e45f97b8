// What an accountant's answer costs on one core, over the grid users ask about; reference: the exact Gaussian
// curve, evaluated once.
#include <benchmark/benchmark.h>

#include "earshot/accounting/accountant.hpp"
#include "earshot/accounting/gaussian_curve.hpp"

namespace earshot {
namespace {

ReleasePointer step(double rate, double sigma) {
  const ReleasePointer release = make_release(GaussianRelease{sigma});
  return rate == 1 ? release : poisson_sampled(rate, release);
}

/// Worst cell of the grid sigma x rate x steps, with its own timer: `state` holds log10 steps.
void answer(benchmark::State& state, const char* accountant) {
  const double sigma = static_cast<double>(state.range(0)) / 10;
  const double rate = static_cast<double>(state.range(1)) / 1000;
  const auto steps = static_cast<std::uint64_t>(state.range(2));
  double epsilon = 0;
  for (auto _ : state) {
    const auto fresh = make_accountant(accountant);
    fresh->add(*step(rate, sigma), steps);
    epsilon = fresh->epsilon(1e-6);
    benchmark::DoNotOptimize(epsilon);
  }
  state.counters["epsilon"] = epsilon;
}
void BM_Rdp(benchmark::State& state) {
  answer(state, "rdp");
}
void BM_Pld(benchmark::State& state) {
  answer(state, "pld");
}

void grid(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"10sigma", "1000rate", "steps"})->Unit(benchmark::kMillisecond);
  for (const int sigma : {5, 10, 100}) {
    for (const int rate : {1, 10, 100, 900}) {
      for (const int steps : {1, 100, 10000}) bench->Args({sigma, rate, steps});
    }
  }
}
BENCHMARK(BM_Rdp)->Apply(grid);
BENCHMARK(BM_Pld)->Apply(grid);

void BM_ReferenceExactGaussian(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(gaussian_epsilon(1.3, 1e-6));
}
BENCHMARK(BM_ReferenceExactGaussian)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace earshot
