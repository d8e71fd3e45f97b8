// How the cost of deciding who can reconstruct whom grows with nodes, rounds and attackers; reference:
// FLINT's own reduced row-echelon form of the whole knowledge matrix modulo the same prime.
#include <benchmark/benchmark.h>
#include <flint/nmod_mat.h>

#include "earshot/attack/gossip/gossip_attack.hpp"
#include "earshot/attack/gossip/prime_field.hpp"
#include "earshot/core/parallel.hpp"
#include "earshot/pipeline/components.hpp"

namespace earshot {
namespace {

Graph random_graph(std::size_t nodes, double mean_degree) {
  Stream stream({9, Purpose::kGraph});
  const Settings settings(Json{{"nodes", nodes}, {"mean_degree", mean_degree}, {"connected", true}});
  return graph_component("erdos_renyi").make(settings, stream, {});
}

/// One attacker on G(n, 6/n) until saturation, both primes.
void BM_OneAttackerToSaturation(benchmark::State& state) {
  set_thread_count(1);
  const GossipMatrix matrix = metropolis_weights(random_graph(static_cast<std::size_t>(state.range(0)), 6));
  const Adversary adversary = make_adversary(matrix.graph(), {0});
  std::size_t rounds = 0;
  for (auto _ : state) {
    const Exposure exposure = analyse_exposure(matrix, adversary, {});
    rounds = exposure.rounds;
    benchmark::DoNotOptimize(exposure.rank);
  }
  state.counters["rounds"] = static_cast<double>(rounds);
  state.SetComplexityN(state.range(0));
}
BENCHMARK(BM_OneAttackerToSaturation)
    ->Arg(125)
    ->Arg(250)
    ->Arg(500)
    ->Arg(1000)
    ->Arg(2000)
    ->Unit(benchmark::kMillisecond)
    ->Complexity();

/// The same decision by one RREF of all rows, one prime: what the incremental elimination is measured
/// against.
void BM_ReferenceFlintRref(benchmark::State& state) {
  const GossipMatrix matrix = metropolis_weights(random_graph(static_cast<std::size_t>(state.range(0)), 6));
  const Adversary adversary = make_adversary(matrix.graph(), {0});
  const auto heard = heard_nodes(matrix.graph(), adversary);
  const std::size_t rounds = analyse_exposure(matrix, adversary, {}).rounds;
  const std::size_t n = matrix.node_count();
  const PrimeField field(audit_prime(0));
  const ModularGossipMatrix modular(matrix, field);
  for (auto _ : state) {
    nmod_mat_t knowledge;
    nmod_mat_init(knowledge, static_cast<slong>(1 + rounds * heard.size()), static_cast<slong>(n),
                  field.prime());
    nmod_mat_entry(knowledge, 0, 0) = 1;
    std::size_t row = 1;
    for (const NodeId v : heard) {
      std::vector<Residue> now(n, 0), next(n);
      now[v] = 1;
      for (std::size_t t = 0; t < rounds; ++t, ++row) {
        for (std::size_t j = 0; j < n; ++j) nmod_mat_entry(knowledge, row, j) = now[j];
        modular.advance(now, next);
        now.swap(next);
      }
    }
    benchmark::DoNotOptimize(nmod_mat_rref(knowledge));
    nmod_mat_clear(knowledge);
  }
  state.SetComplexityN(state.range(0));
}
BENCHMARK(BM_ReferenceFlintRref)
    ->Arg(125)
    ->Arg(250)
    ->Arg(500)
    ->Arg(1000)
    ->Unit(benchmark::kMillisecond)
    ->Complexity();

/// One attacker on 400 nodes by the number of rounds overheard.
void BM_OneAttackerByRounds(benchmark::State& state) {
  set_thread_count(1);
  const GossipMatrix matrix = metropolis_weights(random_graph(400, 6));
  const Adversary adversary = make_adversary(matrix.graph(), {0});
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        analyse_exposure(matrix, adversary, {static_cast<std::size_t>(state.range(0))}).rank);
  }
}
BENCHMARK(BM_OneAttackerByRounds)->Arg(5)->Arg(10)->Arg(20)->Arg(40)->Arg(80)->Unit(benchmark::kMillisecond);

/// Every node in turn on a graph as dense as a Facebook ego network, ten rounds.
void BM_AllAttackers(benchmark::State& state) {
  set_thread_count(1);
  const GossipMatrix matrix = metropolis_weights(random_graph(static_cast<std::size_t>(state.range(0)), 20));
  std::vector<Adversary> all;
  for (NodeId v = 0; v < matrix.node_count(); ++v) all.push_back(make_adversary(matrix.graph(), {v}));
  for (auto _ : state) benchmark::DoNotOptimize(analyse_exposures(matrix, all, {10}).size());
  state.SetComplexityN(state.range(0));
}
BENCHMARK(BM_AllAttackers)->Arg(75)->Arg(150)->Arg(300)->Unit(benchmark::kMillisecond)->Complexity();

/// Error amplification of one attacker at saturation.
void BM_Amplification(benchmark::State& state) {
  set_thread_count(1);
  const GossipMatrix matrix = metropolis_weights(random_graph(static_cast<std::size_t>(state.range(0)), 6));
  const Adversary adversary = make_adversary(matrix.graph(), {0});
  const std::size_t rounds = analyse_exposure(matrix, adversary, {}).rounds;
  for (auto _ : state) benchmark::DoNotOptimize(gossip_amplification(matrix, adversary, rounds).data());
  state.SetComplexityN(state.range(0));
}
BENCHMARK(BM_Amplification)
    ->Arg(125)
    ->Arg(250)
    ->Arg(500)
    ->Arg(1000)
    ->Arg(2000)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond)
    ->Complexity();

}  // namespace
}  // namespace earshot
