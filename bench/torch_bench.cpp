// Gradient and pullback, native against libtorch's double backward, on one core. Both are timed in turn in
// every iteration, and the ratio of their best times is printed: it means something on a busy machine, too.
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "earshot/core/parallel.hpp"
#include "earshot/core/random.hpp"
#include "earshot/model/native/native_model.hpp"
#include "earshot/model/torch_engine.hpp"

namespace {

using namespace earshot;

struct Case {
  std::string name;
  Architecture architecture;
  std::size_t rows = 8;
  std::size_t count = 1;
};

template <class Real>
std::unique_ptr<Evaluation<Real>> evaluation_of(const Model& model) {
  if constexpr (std::is_same_v<Real, double>) {
    return model.evaluation();
  } else {
    return model.fast_evaluation();
  }
}

/// A ring in which every node also hears the one five places on.
const GraphPattern& ring(std::size_t nodes) {
  static std::map<std::size_t, GraphPattern> rings;
  GraphPattern& pattern = rings[nodes];
  if (pattern.nodes != 0) return pattern;
  pattern = {nodes, {0}, {}, {0, nodes}};
  for (std::size_t i = 0; i < nodes; ++i) {
    for (const std::size_t step : {std::size_t{1}, std::size_t{5}, nodes - 5, nodes - 1})
      pattern.columns.push_back(static_cast<std::uint32_t>((i + step) % nodes));
    std::sort(pattern.columns.end() - 4, pattern.columns.end());
    pattern.row_starts.push_back(pattern.columns.size());
  }
  return pattern;
}

template <class Real>
std::vector<Real> normals(std::size_t size, double spread) {
  Stream stream({1, Purpose::kTest});
  std::vector<Real> values(size);
  for (Real& value : values) value = static_cast<Real>(spread * stream.normal());
  return values;
}

/// Of this thread, which does all the work: waiting for a core does not count.
double processor_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// One step of an attack: the gradient, and its pullback to inputs and targets.
template <class Real>
class Steps {
 public:
  Steps(const Case& c, const Model& model) : evaluation_(evaluation_of<Real>(model)) {
    const std::size_t parameters = model.parameter_count();
    parameters_ = normals<Real>(parameters, 0.1);  // restarts of an attack share the victim's
    directions_ = normals<Real>(c.count * parameters, 1);
    inputs_ = normals<Real>(c.count * c.rows * model.input_size(), 1);
    targets_ = normals<Real>(c.count * c.rows * model.output_size(), 1);
    gradients_.resize(directions_.size());
    losses_.resize(c.count);
    to_inputs_.resize(inputs_.size());
    to_targets_.resize(targets_.size());
    problems_.count = c.count;
    problems_.rows = c.rows;
    problems_.parameters = parameters_;
    problems_.inputs = inputs_;
    problems_.targets = targets_;
    if (is_graph_network(c.architecture)) problems_.graph = &ring(c.rows);
    seconds();  // memory is allocated, and graphs are kept, from the first call on
  }
  double seconds() {
    const double start = processor_time();
    evaluation_->gradients(problems_, losses_, gradients_);
    evaluation_->pullbacks(directions_, {to_inputs_, to_targets_, {}});
    return processor_time() - start;
  }

 private:
  std::unique_ptr<Evaluation<Real>> evaluation_;
  std::vector<Real> parameters_, directions_, inputs_, targets_, gradients_, losses_, to_inputs_, to_targets_;
  Problems<Real> problems_;
};

template <class Real>
void compare(benchmark::State& state, const Case& c) {
  const auto native_model = make_native_model(c.architecture);
  const auto torch_model = torch_engine().make(c.architecture);
  Steps<Real> native(c, *native_model), torch(c, *torch_model);
  double native_best = std::numeric_limits<double>::infinity(), torch_best = native_best;
  for ([[maybe_unused]] const auto unused : state) {
    const double seconds = native.seconds();
    state.SetIterationTime(seconds);
    native_best = std::min(native_best, seconds);
    torch_best = std::min(torch_best, torch.seconds());
  }
  const double problems = static_cast<double>(c.count);
  state.counters["native_us"] = 1e6 * native_best / problems;
  state.counters["torch_us"] = 1e6 * torch_best / problems;
  state.counters["ratio"] = torch_best / native_best;
}

Architecture net(Shape input, std::vector<Layer> layers) {
  return {"bench", input, std::move(layers)};
}

std::vector<Case> attack_cases() {
  const Activate relu{};
  const Architecture mlp = net({105}, {Dense{100}, relu, Dense{100}, relu, Dense{2}});
  return {{"mlp 105-100-100-2, batch 8, 1 problem", mlp, 8, 1},
          {"mlp 105-100-100-2, batch 8, 8 problems", mlp, 8, 8},
          {"mlp 105-100-100-2, batch 8, 64 problems", mlp, 8, 64}};
}

std::vector<Case> layer_cases() {
  const Activate relu{};
  const Activate sigmoid{ActivationKind::kSigmoid};
  const Convolve same{16, 3, 3, 1, 1, 1};
  const Architecture lenet =
      net({3, 32, 32}, {Convolve{12, 5, 5, 2, 2, 2}, sigmoid, Convolve{12, 5, 5, 2, 2, 2}, sigmoid,
                        Convolve{12, 5, 5, 1, 2, 2}, sigmoid, Dense{10}});
  return {
      {"dense 64-64, batch 16", net({64}, {Dense{64}}), 16},
      {"dense 784-512-10, batch 32", net({784}, {Dense{512}, relu, Dense{10}}), 32},
      {"dense 1024-1024, batch 256", net({1024}, {Dense{1024}}), 256},
      {"conv1d 1x100 to 16, kernel 3, dense 2, batch 8",
       net({1, 1, 100}, {Convolve{16, 1, 3, 1, 0, 1}, relu, Dense{2}}), 8},
      {"conv1d 16x128 to 32, kernel 5, dense 10, batch 16",
       net({16, 1, 128}, {Convolve{32, 1, 5, 1, 0, 2}, relu, Dense{10}}), 16},
      {"conv2d 16x16x16 to 16, 3x3, batch 8", net({16, 16, 16}, {same, relu, Dense{10}}), 8},
      {"conv2d, max pool 1x28x28 to 16, 5x5, batch 8",
       net({1, 28, 28}, {Convolve{16, 5, 5}, relu, Pool{}, Dense{10}}), 8},
      {"LeNet (DLG) 3x32x32, batch 1", lenet, 1},
      {"LeNet (DLG) 3x32x32, batch 8", lenet, 8},
      {"GCN 64-16-7, 30 nodes", net({64}, {GraphConvolve{16}, relu, GraphConvolve{7}}), 30},
      {"GCN 64-16-7, 500 nodes", net({64}, {GraphConvolve{16}, relu, GraphConvolve{7}}), 500},
      {"GAT 64, 2 heads of 16, 30 nodes", net({64}, {GraphAttend{2, 16}, relu, Dense{7}}), 30},
      {"GAT 64, 2 heads of 16, 500 nodes", net({64}, {GraphAttend{2, 16}, relu, Dense{7}}), 500},
      {"batch norm 16x16x16 after conv 3x3, batch 8", net({16, 16, 16}, {same, BatchNorm{}, relu, Dense{10}}),
       8},
      {"batch norm after dense 100-100, batch 8", net({100}, {Dense{100}, BatchNorm{}, relu, Dense{2}}), 8},
      {"residual 100, added, batch 8",
       net({100}, {Parallel{Join::kAdd, {{Dense{100}, relu, Dense{100}}, {}}}, Dense{2}}), 8},
      {"residual 100, concatenated, batch 8",
       net({100}, {Parallel{Join::kConcatenate, {{Dense{100}, relu}, {}}}, Dense{2}}), 8}};
}

void add(const Case& c) {
  const auto exact = [c](benchmark::State& state) { compare<double>(state, c); };
  const auto fast = [c](benchmark::State& state) { compare<float>(state, c); };
  benchmark::RegisterBenchmark((c.name + ", double").c_str(), exact)->UseManualTime()->MinTime(0.01);
  benchmark::RegisterBenchmark((c.name + ", float").c_str(), fast)->UseManualTime()->MinTime(0.01);
}

}  // namespace

int main(int argc, char** argv) {
  setenv("EARSHOT_PLUGINS", EARSHOT_PLUGIN_FOLDER, /*overwrite=*/0);
  set_thread_count(1);
  for (const Case& c : attack_cases()) add(c);
  for (const Case& c : layer_cases()) add(c);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
