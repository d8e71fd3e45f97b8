// What exact protection costs beside simulation in floating point, per number released; reference: the
// simulated noise of the same mechanism, and one word of either generator.
#include <algorithm>
#include <type_traits>
#include <vector>

#include <benchmark/benchmark.h>

#include "earshot/mechanism/euclidean_laplace.hpp"
#include "earshot/mechanism/gaussian.hpp"
#include "earshot/mechanism/laplace.hpp"
#include "earshot/mechanism/randomised_response.hpp"

namespace earshot {
namespace {

constexpr std::size_t kCoordinates = 10000;

template <class Random>
Random make_random() {
  if constexpr (std::is_same_v<Random, Stream>) {
    return Stream({1, Purpose::kTest});
  } else {
    return Random();
  }
}

template <class Random>
void BM_Word(benchmark::State& state) {
  Random random = make_random<Random>();
  for (auto _ : state) benchmark::DoNotOptimize(random.bits());
}
BENCHMARK(BM_Word<Stream>);
BENCHMARK(BM_Word<SecureRandom>);

void run(benchmark::State& state, const VectorMechanism& mechanism, std::size_t coordinates) {
  Stream stream({1, Purpose::kTest});
  SecureRandom random;
  std::vector<double> value(coordinates, 0.0);
  for (auto _ : state) {
    std::ranges::fill(value, 1e-3);
    state.range(0) == 0 ? mechanism.simulate(value, stream) : mechanism.protect(value, random);
    benchmark::DoNotOptimize(value.data());
  }
  state.SetLabel(state.range(0) == 0 ? "simulate" : "protect");
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(coordinates));
}

void BM_Gaussian(benchmark::State& state) {
  run(state, GaussianMechanism(clipped_terms(Norm::kL2, 1, Adjacency::kReplace, "a record"), 2, 1e-5),
      kCoordinates);
}
BENCHMARK(BM_Gaussian)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void BM_Laplace(benchmark::State& state) {
  run(state, LaplaceMechanism(clipped_terms(Norm::kL1, 1, Adjacency::kReplace, "a record"), 2), kCoordinates);
}
BENCHMARK(BM_Laplace)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void BM_PlanarLaplace(benchmark::State& state) {
  run(state, PlanarLaplace(0.01), 2);
}
BENCHMARK(BM_PlanarLaplace)->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

void BM_EuclideanLaplaceMostCoordinates(benchmark::State& state) {
  run(state, EuclideanLaplace(0.01), EuclideanLaplace::kMostProtectedCoordinates);
}
BENCHMARK(BM_EuclideanLaplaceMostCoordinates)->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

void BM_RandomisedResponse(benchmark::State& state) {
  const RandomisedResponse mechanism(static_cast<std::size_t>(state.range(0)), 2);
  SecureRandom random;
  for (auto _ : state) benchmark::DoNotOptimize(mechanism.protect(1, random).value);
}
BENCHMARK(BM_RandomisedResponse)->Arg(2)->Arg(100);

}  // namespace
}  // namespace earshot
