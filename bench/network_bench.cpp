// How the cost of the exact network accountant grows with nodes, rounds and observers; reference: the exact
// analysis over prime fields that every leverage computation contains.
#include <algorithm>

#include <benchmark/benchmark.h>

#include "earshot/accounting/network/leverage.hpp"
#include "earshot/core/parallel.hpp"
#include "earshot/graph/topologies.hpp"

namespace earshot {
namespace {

GossipMatrix random_matrix(std::size_t nodes, double mean_degree) {
  Stream stream({9, Purpose::kGraph});
  const Settings settings(Json{{"nodes", nodes}, {"mean_degree", mean_degree}, {"connected", true}});
  const auto components = graph_components();
  const auto erdos_renyi = std::find_if(components.begin(), components.end(), [](const GraphComponent& one) {
    return one.schema.name == "erdos_renyi";
  });
  return metropolis_weights(erdos_renyi->make(settings, stream, {}));
}

/// One observer on G(n, 6/n) until saturation, leverage after every round.
void BM_LeverageToSaturation(benchmark::State& state) {
  set_thread_count(1);
  const GossipMatrix matrix = random_matrix(static_cast<std::size_t>(state.range(0)), 6);
  const Adversary adversary = make_adversary(matrix.graph(), {0});
  std::size_t rounds = 0;
  for (auto _ : state) {
    const LeverageScores scores = leverage_scores(matrix, adversary, {}, LeverageCurve::kByRound);
    rounds = scores.rounds;
    benchmark::DoNotOptimize(scores.leverage.data());
  }
  state.counters["rounds"] = static_cast<double>(rounds);
  state.SetComplexityN(state.range(0));
}
BENCHMARK(BM_LeverageToSaturation)
    ->Arg(500)
    ->Arg(1000)
    ->Arg(2000)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond)
    ->Complexity();

/// The part of it that decides ranks and who is reconstructible.
void BM_ReferenceExactPart(benchmark::State& state) {
  set_thread_count(1);
  const GossipMatrix matrix = random_matrix(static_cast<std::size_t>(state.range(0)), 6);
  const Adversary adversary = make_adversary(matrix.graph(), {0});
  for (auto _ : state) benchmark::DoNotOptimize(ExactAnalysis(matrix).of(adversary, {}).rounds());
  state.SetComplexityN(state.range(0));
}
BENCHMARK(BM_ReferenceExactPart)
    ->Arg(500)
    ->Arg(1000)
    ->Arg(2000)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond)
    ->Complexity();

/// One observer, ten rounds: what a protocol usually runs.
void BM_LeverageTenRounds(benchmark::State& state) {
  set_thread_count(1);
  const GossipMatrix matrix = random_matrix(static_cast<std::size_t>(state.range(0)), 6);
  const Adversary adversary = make_adversary(matrix.graph(), {0});
  for (auto _ : state) benchmark::DoNotOptimize(leverage_scores(matrix, adversary, {10}).leverage.data());
}
BENCHMARK(BM_LeverageTenRounds)->Arg(500)->Arg(1000)->Arg(2000)->Arg(4000)->Unit(benchmark::kMillisecond);

/// Every node in turn on a graph as dense as a Facebook ego network, ten rounds.
void BM_AllObservers(benchmark::State& state) {
  set_thread_count(1);
  const GossipMatrix matrix = random_matrix(static_cast<std::size_t>(state.range(0)), 20);
  std::vector<Adversary> all;
  for (NodeId v = 0; v < matrix.node_count(); ++v) all.push_back(make_adversary(matrix.graph(), {v}));
  for (auto _ : state) benchmark::DoNotOptimize(leverage_scores(matrix, all, {10}).size());
}
BENCHMARK(BM_AllObservers)->Arg(75)->Arg(150)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace earshot
