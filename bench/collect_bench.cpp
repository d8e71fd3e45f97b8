// Task-adaptive collection: the L1 diameter by sign vectors and by pruned pairs against all pairs, and an
// epoch of training.
#include <benchmark/benchmark.h>

#include "earshot/collect/adaptive_training.hpp"
#include "earshot/collect/linear_encoder.hpp"
#include "earshot/collect/sensitivity.hpp"
#include "earshot/core/parallel.hpp"

namespace earshot {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

MatrixXd random_points(Index axes, Index count) {
  Stream stream({1, Purpose::kTest});
  MatrixXd points(axes, count);
  for (double& x : points.reshaped()) x = stream.normal();
  return points;
}

double all_pairs(const MatrixXd& points) {
  double best = 0;
  for (Index i = 0; i < points.cols(); ++i) {
    for (Index j = 0; j < i; ++j) best = std::max(best, (points.col(i) - points.col(j)).lpNorm<1>());
  }
  return best;
}

template <double (*diameter)(const MatrixXd&)>
void BM_Diameter(benchmark::State& state) {
  const MatrixXd points = random_points(state.range(0), state.range(1));
  for (auto _ : state) benchmark::DoNotOptimize(diameter(points));
}
void sizes(benchmark::internal::Benchmark* bench) {
  for (const int axes : {3, 8, 12, 24}) bench->Args({axes, 1000});
  bench->Unit(benchmark::kMicrosecond);
}
BENCHMARK(BM_Diameter<all_pairs>)->Name("diameter_all_pairs")->Apply(sizes);
BENCHMARK(BM_Diameter<l1_diameter_by_pairs>)->Name("diameter_pruned_pairs")->Apply(sizes);
BENCHMARK(BM_Diameter<l1_diameter_by_signs>)
    ->Name("diameter_signs")
    ->Args({3, 1000})
    ->Args({8, 1000})
    ->Args({12, 1000})
    ->Unit(benchmark::kMicrosecond);

/// Ten epochs of 15 steps of encoder and decoder: attributes, records, hidden layer.
void BM_TenEpochs(benchmark::State& state) {
  set_thread_count(1);
  const Index attributes = state.range(0);
  Records records{random_points(attributes, state.range(1)), {}};
  records.targets = records.inputs.topRows(1);
  const Task task{
      DenseNet({static_cast<std::size_t>(attributes), static_cast<std::size_t>(attributes * 3 / 2), 1},
               DenseActivation::kRelu, DenseActivation::kLinear),
      Loss::kMeanSquared};
  TrainingOptions options;
  options.epochs = 10;
  options.hidden_layer = state.range(2) != 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(train_adaptive(task, records, options, {1, Purpose::kTraining}).sensitivity);
}
BENCHMARK(BM_TenEpochs)->Args({6, 289, 0})->Args({30, 398, 1})->Unit(benchmark::kMillisecond);

void BM_EffectiveRadius(benchmark::State& state) {
  const MatrixXd records = random_points(24, 991);
  const WhitenedTask task = whiten(records, MatrixXd::Identity(24, 24));
  for (auto _ : state) benchmark::DoNotOptimize(allocate_on_records(task, records, {10, false}).train_loss);
}
BENCHMARK(BM_EffectiveRadius)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace earshot
