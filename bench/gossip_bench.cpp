// Rounds of gossip and of D-GD in the in-process network; reference: copying the same bytes once.
#include <cstring>
#include <deque>

#include <benchmark/benchmark.h>

#include "earshot/core/parallel.hpp"
#include "earshot/model/native/native_model.hpp"
#include "earshot/network/local_network.hpp"
#include "earshot/pipeline/components.hpp"
#include "earshot/protocol/gossip_averaging.hpp"

namespace earshot {
namespace {

GossipMatrix random_matrix(std::size_t nodes) {
  Stream stream({9, Purpose::kGraph});
  const Settings settings(Json{{"nodes", nodes}, {"mean_degree", 6.0}, {"connected", false}});
  return metropolis_weights(graph_component("erdos_renyi").make(settings, stream, {}));
}

void BM_GossipRound(benchmark::State& state) {
  set_thread_count(1);
  const auto nodes = static_cast<std::size_t>(state.range(0));
  const auto dimension = static_cast<std::size_t>(state.range(1));
  const GossipMatrix matrix = random_matrix(nodes);
  std::deque<GossipAveraging> averaging;
  std::vector<Participant*> participants;
  for (NodeId v = 0; v < nodes; ++v) {
    participants.push_back(&averaging.emplace_back(matrix, v, std::vector<double>(dimension, 1.0 * v)));
  }
  FixedTopology topology(matrix.graph());
  LocalNetwork network(topology, std::move(participants));
  for (auto _ : state) network.run(1);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(nodes * dimension * sizeof(double)));
}
BENCHMARK(BM_GossipRound)->Args({100, 1000})->Args({1000, 1000})->Unit(benchmark::kMillisecond);

void BM_ReferenceCopy(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0) * state.range(1));
  const std::vector<double> from(count, 1.0);
  std::vector<double> to(count);
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), count * sizeof(double));
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(count * sizeof(double)));
}
BENCHMARK(BM_ReferenceCopy)->Args({100, 1000})->Args({1000, 1000})->Unit(benchmark::kMillisecond);

/// Gradient and pullback of softmax regression on one image of MNIST's size.
void BM_SoftmaxGradient(benchmark::State& state) {
  Architecture softmax;
  softmax.input = Shape{784};
  softmax.layers = {Dense{10}};
  const auto native = make_native_model(softmax);
  const Model& model = *native;
  std::vector<double> parameters(model.parameter_count(), 0.01), gradient(model.parameter_count());
  std::vector<double> input(784, 0.5), target(10, 0.0), dx(784), dq(10);
  target[3] = 1;
  for (auto _ : state) {
    benchmark::DoNotOptimize(model.gradient(parameters, {1, input, target}, gradient));
    model.pullback(parameters, {1, input, target}, gradient, {dx, dq});
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_SoftmaxGradient)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace earshot
