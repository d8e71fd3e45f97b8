// Rounds of gossip in the in-process network; reference: copying all values once, on the same number of
// threads. Both are timed in turn in every iteration, and the ratio of their best times is printed: it means
// something on a busy machine, too. "of_bound" is the ratio to moving the bytes a round has to read and write
// at the speed of that copy.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <deque>
#include <limits>

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "earshot/core/parallel.hpp"
#include "earshot/graph/topologies.hpp"
#include "earshot/network/local_network.hpp"
#include "earshot/network/node_vectors.hpp"
#include "earshot/protocol/gossip_averaging.hpp"

namespace earshot {
namespace {

/// Erdos-Renyi with mean degree log n, as Muffliato assumes (Cyffers et al. 2022).
GossipMatrix random_matrix(std::size_t nodes) {
  Stream stream({9, Purpose::kGraph});
  const Settings settings(
      Json{{"nodes", nodes}, {"mean_degree", std::log(static_cast<double>(nodes))}, {"connected", false}});
  for (const GraphComponent& component : graph_components()) {
    if (component.schema.name == "erdos_renyi")
      return metropolis_weights(component.make(settings, stream, {}));
  }
  return metropolis_weights(Graph(nodes, {}));
}

/// Of this program so far, in MiB.
double peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

template <class Body>
double seconds(const Body& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Nodes, numbers per node, threads.
void BM_GossipRound(benchmark::State& state) {
  const auto nodes = static_cast<std::size_t>(state.range(0));
  const auto size = static_cast<std::size_t>(state.range(1));
  const auto threads = static_cast<std::size_t>(state.range(2));
  set_thread_count(threads);
  const GossipMatrix matrix = random_matrix(nodes);
  NodeVectors values(nodes, size), others(nodes, size), copies(nodes, size);
  std::deque<GossipAveraging> averaging;
  std::vector<Participant*> participants;
  for (NodeId node = 0; node < nodes; ++node) {
    std::ranges::fill(values.of(node), 1.0 + node);
    participants.push_back(&averaging.emplace_back(matrix, node, values.of(node), others.of(node)));
  }
  FixedTopology topology(matrix.graph());
  LocalNetwork network(topology, std::move(participants));
  const std::size_t share = (nodes + threads - 1) / threads;
  const auto copy = [&](std::size_t thread) {
    const auto first = static_cast<NodeId>(thread * share);
    const std::size_t count = std::min(nodes, (thread + 1) * share) - first;
    const auto bytes = static_cast<std::size_t>(values.of(1).data() - values.of(0).data()) * sizeof(double);
    std::memcpy(copies.of(first).data(), values.of(first).data(), count * bytes);
    benchmark::ClobberMemory();
  };
  double round = std::numeric_limits<double>::infinity(), reference = round;
  parallel_for(threads, copy);  // pages are cleared when they are first touched
  network.run(2);
  for (auto _ : state) {
    reference = std::min(reference, seconds([&] { parallel_for(threads, copy); }));
    round = std::min(round, seconds([&] { network.run(1); }));
  }
  state.counters["round_ms"] = 1e3 * round;
  state.counters["copy_ms"] = 1e3 * reference;
  state.counters["ratio"] = round / reference;
  const double degree = 2.0 * static_cast<double>(matrix.graph().edge_count()) / static_cast<double>(nodes);
  state.counters["mean_degree"] = degree;
  // A node reads its own values and each neighbour's and writes one vector; a copy reads and writes one.
  state.counters["of_bound"] = round / (reference * (degree + 2) / 2);
  state.counters["peak_MiB"] = peak_memory();
  set_thread_count(0);
}
BENCHMARK(BM_GossipRound)
    ->Args({1000, 1000, 1})
    ->Args({5000, 1000, 1})
    ->Args({10000, 1000, 1})
    ->Args({10000, 1000, 2})
    ->Args({100000, 100, 1})
    ->Args({100000, 100, 2})
    ->MinTime(2)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace earshot
