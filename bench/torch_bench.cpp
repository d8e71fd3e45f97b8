// Gradient and pullback on one core: the native engine against libtorch's double backward, written by hand on
// tensors for the network of the target ("plain"), and through earshot's own engine on libtorch for every
// kind of layer ("torch"). A program takes the same steps again and again, so each is timed over a few steps
// in a row; the engines take turns, and the ratio of their best times is printed: it means something on a
// busy machine, too.
#include <algorithm>
#include <cmath>
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
#include "earshot/model/torch/plain_perceptron.hpp"
#include "earshot/model/torch_engine.hpp"
#include "model_cases.hpp"

namespace {

using namespace earshot;

const std::vector<std::size_t> kWidths{105, 100, 100, 2};

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

/// Problems that share the victim's parameters, as restarts of an attack do, with random directions.
template <class Real>
struct Work {
  std::vector<Real> parameters, directions, inputs, targets;
  Problems<Real> problems;

  Work(const Case& c, const Model& model)
      : parameters(normals<Real>(model.parameter_count(), 0.1)),
        directions(normals<Real>(c.count * parameters.size(), 1)),
        inputs(normals<Real>(c.count * c.rows * model.input_size(), 1)),
        targets(normals<Real>(c.count * c.rows * model.output_size(), 1)) {
    problems.count = c.count;
    problems.rows = c.rows;
    problems.parameters = parameters;
    problems.inputs = inputs;
    problems.targets = targets;
    if (is_graph_network(c.architecture)) problems.graph = &ring(c.rows);
  }
};

template <class Real>
struct Results {
  std::vector<Real> losses, gradients, to_inputs, to_targets;

  explicit Results(const Work<Real>& work)
      : losses(work.problems.count),
        gradients(work.directions.size()),
        to_inputs(work.inputs.size()),
        to_targets(work.targets.size()) {}
};

/// Through the seam: one call for the gradients of all problems, one for their pullbacks.
template <class Real>
class Seam {
 public:
  Seam(const Work<Real>& work, const Model& model)
      : work_(work), evaluation_(evaluation_of<Real>(model)), results_(work) {}
  void step() {
    evaluation_->gradients(work_.problems, results_.losses, results_.gradients);
    evaluation_->pullbacks(work_.directions, {results_.to_inputs, results_.to_targets, {}});
  }
  const Results<Real>& results() const { return results_; }

 private:
  const Work<Real>& work_;
  std::unique_ptr<Evaluation<Real>> evaluation_;
  Results<Real> results_;
};

/// libtorch by hand, one problem after the other.
template <class Real>
class Plain {
 public:
  Plain(const Work<Real>& work, const std::vector<std::size_t>& widths)
      : work_(work), network_(widths, work.parameters) {
    const auto part = [&](const std::vector<Real>& all, std::size_t k) {
      const std::size_t size = all.size() / work.problems.count;
      return std::span<const Real>(all).subspan(k * size, size);
    };
    for (std::size_t k = 0; k < work.problems.count; ++k) {
      network_.add_problem(work.problems.rows, part(work.inputs, k), part(work.targets, k),
                           part(work.directions, k));
    }
  }
  void step() {
    for (std::size_t k = 0; k < work_.problems.count; ++k) network_.step(k);
  }
  Results<Real> results() {
    Results<Real> out(work_);
    const auto part = [&](std::vector<Real>& all, std::size_t k) {
      const std::size_t size = all.size() / work_.problems.count;
      return std::span<Real>(all).subspan(k * size, size);
    };
    for (std::size_t k = 0; k < work_.problems.count; ++k) {
      network_.step(k);
      network_.read(part(out.gradients, k), part(out.to_inputs, k), part(out.to_targets, k));
    }
    return out;
  }

 private:
  const Work<Real>& work_;
  PlainPerceptron<Real> network_;
};

template <class Real>
bool close(const std::vector<Real>& a, const std::vector<Real>& b) {
  const double tolerance = sizeof(Real) == sizeof(double) ? 1e-10 : 1e-4;  // of the largest number
  double largest = 0, apart = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(a[i])));
    apart = std::max(apart, std::abs(static_cast<double>(a[i]) - b[i]));
  }
  return a.size() == b.size() && apart <= tolerance * largest;
}
template <class Real>
bool same(const Results<Real>& a, const Results<Real>& b) {
  return close(a.gradients, b.gradients) && close(a.to_inputs, b.to_inputs) &&
         close(a.to_targets, b.to_targets);
}

/// The best time of a step, over turns of a millisecond or more.
template <class Steps>
class Stopwatch {
 public:
  explicit Stopwatch(Steps& steps) : steps_(steps) {
    steps_.step();  // memory is allocated, and graphs are kept, from the first call on
    repeats_ = static_cast<int>(std::ceil(1e-3 / measure()));
  }
  double turn() {
    steps_.step();  // brings its memory back into the cache
    const double seconds = measure();
    best_ = std::min(best_, seconds);
    return seconds;
  }
  double best() const { return best_; }

 private:
  double measure() {
    const double start = processor_time();
    for (int i = 0; i < repeats_; ++i) steps_.step();
    return (processor_time() - start) / repeats_;
  }

  Steps& steps_;
  int repeats_ = 1;
  double best_ = std::numeric_limits<double>::infinity();
};

void report(benchmark::State& state, const Case& c, const char* name, double native, double other) {
  const double problems = static_cast<double>(c.count);
  state.counters["native_us"] = 1e6 * native / problems;
  state.counters[std::string(name) + "_us"] = 1e6 * other / problems;
  state.counters[std::string(name) + "_ratio"] = other / native;
}

template <class Real>
void compare(benchmark::State& state, const Case& c) {
  const auto native_model = make_native_model(c.architecture);
  const auto torch_model = torch_engine().make(c.architecture);
  const Work<Real> work(c, *native_model);
  Seam<Real> native(work, *native_model), torch(work, *torch_model);
  Stopwatch native_watch(native), torch_watch(torch);
  for ([[maybe_unused]] const auto unused : state) {
    state.SetIterationTime(native_watch.turn());
    torch_watch.turn();
  }
  report(state, c, "torch", native_watch.best(), torch_watch.best());
}

template <class Real>
void compare_plain(benchmark::State& state, const Case& c) {
  const auto model = make_native_model(c.architecture);
  const Work<Real> work(c, *model);
  Seam<Real> native(work, *model);
  Plain<Real> plain(work, kWidths);
  native.step();
  if (!same(native.results(), plain.results())) return state.SkipWithError("native and libtorch disagree");
  Stopwatch native_watch(native);
  Stopwatch plain_watch(plain);
  for ([[maybe_unused]] const auto unused : state) {
    state.SetIterationTime(native_watch.turn());
    plain_watch.turn();
  }
  report(state, c, "plain", native_watch.best(), plain_watch.best());
}

Architecture net(Shape input, std::vector<Layer> layers) {
  return {"bench", input, std::move(layers)};
}

/// The network of the target, by problems per call.
std::vector<Case> attack_cases() {
  const Architecture mlp = perceptron(kWidths, ActivationKind::kRelu);
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

template <class Run>
void add(const std::string& name, Run run) {
  constexpr int kTurns = 25;
  benchmark::RegisterBenchmark(name.c_str(), run)->UseManualTime()->Iterations(kTurns);
}

}  // namespace

int main(int argc, char** argv) {
  setenv("EARSHOT_PLUGINS", EARSHOT_PLUGIN_FOLDER, /*overwrite=*/0);
  set_thread_count(1);
  for (const Case& c : attack_cases()) {
    add("plain, " + c.name + ", double", [c](benchmark::State& state) { compare_plain<double>(state, c); });
    add("plain, " + c.name + ", float", [c](benchmark::State& state) { compare_plain<float>(state, c); });
  }
  for (const auto& cases : {attack_cases(), layer_cases()}) {
    for (const Case& c : cases) {
      add(c.name + ", double", [c](benchmark::State& state) { compare<double>(state, c); });
      add(c.name + ", float", [c](benchmark::State& state) { compare<float>(state, c); });
    }
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
