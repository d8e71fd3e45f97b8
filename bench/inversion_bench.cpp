// Gradient inversion as a whole: seconds, iterations and evaluations of an attack, and what many restarts in
// one batch save. Besides running as a benchmark the program hands the same attacks, with their starts, to
// the reference in PyTorch (bench/inversion_reference.py) and runs one of them by name:
//
//   inversion_bench problems DIRECTORY
//   inversion_bench solve NAME VICTIM float32|float64 [TARGET]
#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "earshot/attack/inversion/inversion.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/files.hpp"
#include "earshot/core/json.hpp"
#include "earshot/core/parallel.hpp"
#include "earshot/model/native/native_model.hpp"
#include "model_cases.hpp"
#include "reference.hpp"

namespace {

using namespace earshot;

constexpr std::uint64_t kSeed = 1;

struct Attack {
  std::string name;
  Architecture architecture;
  std::size_t records = 1;
  Labels labels = Labels::kKnown;
  DescentOptions descent;
  std::size_t victims = 1;               // that the reference is compared on
  std::size_t restart_iterations = 200;  // of each of many restarts
};

/// The network of Zhu et al. 2019 for pictures like those of CIFAR-10.
Architecture lenet() {
  const Activate sigmoid{ActivationKind::kSigmoid};
  return {"lenet",
          Shape{3, 32, 32},
          {Convolve{12, 5, 5, 2, 2, 2}, sigmoid, Convolve{12, 5, 5, 2, 2, 2}, sigmoid,
           Convolve{12, 5, 5, 1, 2, 2}, sigmoid, Dense{10}},
          LossKind::kSoftmaxCrossEntropy,
          Reduction::kMean,
          Initialisation::kHalf};
}

FirstOrderOptions adam(std::size_t iterations) {
  FirstOrderOptions options;
  options.iterations = iterations;
  options.decay = false;
  return options;
}

const std::vector<Attack>& attacks() {
  static const std::vector<Attack> all{
      {"lenet-dlg", lenet(), 1, Labels::kOptimised, LbfgsOptions{.iterations = 200, .history = 100}, 3, 60},
      {"mlp-105-batch-1", small_perceptron(), 1, Labels::kKnown, adam(500), 1},
      {"mlp-105-batch-8", small_perceptron(), 8, Labels::kKnown, adam(500), 1},
      {"mlp-784-batch-1", perceptron({784, 100, 10}, ActivationKind::kSigmoid), 1, Labels::kKnown, adam(500),
       1},
      {"mlp-784-wide-batch-1", perceptron({784, 1000, 1000, 10}, ActivationKind::kSigmoid), 1, Labels::kKnown,
       adam(100), 1, 20}};
  return all;
}

const Attack& attack_named(const std::string& name) {
  for (const Attack& attack : attacks())
    if (attack.name == name) return attack;
  fail(Fault::kUsage, "there is no attack named " + name);
}

/// A network with records in [0, 1] and the gradient they made.
struct Victim {
  std::unique_ptr<Model> model;
  std::vector<double> parameters, targets, gradient;
  Observation observation;  // made before any clock runs, as the reference's tensors are

  Victim(const Attack& attack, std::size_t number)
      : model(make_native_model(attack.architecture)),
        parameters(model->parameter_count()),
        targets(attack.records * model->output_size()),
        gradient(parameters.size()) {
    Stream stream({kSeed, Purpose::kTest, number});
    model->initialise(stream, parameters);
    std::vector<double> inputs(attack.records * model->input_size());
    for (double& x : inputs) x = stream.uniform();
    for (std::size_t r = 0; r < attack.records; ++r)
      targets[r * model->output_size() + stream.below(model->output_size())] = 1;
    model->gradient(parameters, {attack.records, inputs, targets}, gradient);
    observation = observe_gradient(parameters, gradient, attack.records);
  }
};

InversionOptions options_of(const Attack& attack, const Victim& victim, std::size_t number) {
  InversionOptions options;
  options.descent = attack.descent;
  options.labels = attack.labels;
  if (attack.labels == Labels::kKnown) options.targets = victim.targets;
  options.seed = kSeed;
  options.trial = number;
  return options;
}

Inversion attacked(const Attack& attack, const Victim& victim, const InversionOptions& options) {
  return invert(*victim.model, attack.architecture.input, victim.observation, options);
}

// --- For the reference

Json describe_descent(const DescentOptions& descent) {
  if (const auto* first_order = std::get_if<FirstOrderOptions>(&descent))
    return {{"method", "adam"}, {"iterations", first_order->iterations}, {"rate", first_order->rate}};
  const auto& lbfgs = std::get<LbfgsOptions>(descent);
  return {{"method", "lbfgs"}, {"iterations", lbfgs.iterations}, {"history", lbfgs.history}};
}

/// NAME-VICTIM.json and, one after the other as 64-bit numbers, NAME-VICTIM.bin: parameters, gradient, start
/// of the records, and the known targets or the start of the logits of sought ones. The starts are those
/// invert() draws; the reference's objective there is compared with ours.
void write_problem(const Attack& attack, std::size_t number, const std::filesystem::path& directory) {
  const Victim victim(attack, number);
  std::vector<double> start(attack.records * victim.model->input_size());
  std::vector<double> labels(victim.targets);
  Stream stream({kSeed, Purpose::kAttack, number, 0});
  stream.fill_normal(start, 1);
  if (attack.labels == Labels::kOptimised) stream.fill_normal(labels, 1);
  std::string bytes;
  for (const auto& numbers : {victim.parameters, victim.gradient, start, labels}) append(numbers, bytes);
  const std::string stem = attack.name + "-" + std::to_string(number);
  const Json problem{{"name", attack.name},
                     {"victim", number},
                     {"records", attack.records},
                     {"known_labels", attack.labels == Labels::kKnown},
                     {"descent", describe_descent(attack.descent)},
                     {"architecture", to_json(attack.architecture)},
                     {"parameters", victim.parameters.size()}};
  write_atomically(directory / (stem + ".bin"), bytes);
  write_atomically(directory / (stem + ".json"), problem.dump(1) + "\n");
}

void write_problems(const std::filesystem::path& directory) {
  std::filesystem::create_directories(directory);
  for (const Attack& attack : attacks())
    for (std::size_t number = 0; number < attack.victims; ++number) write_problem(attack, number, directory);
}

void set_iterations(DescentOptions& descent, std::size_t iterations) {
  std::visit([&](auto& options) { options.iterations = iterations; }, descent);
}

/// With a target L-BFGS goes on until it is reached, if that takes up to ten times the iterations.
Json solve(const std::string& name, std::size_t number, const std::string& precision, const char* target) {
  const Attack& attack = attack_named(name);
  const Victim victim(attack, number);
  InversionOptions options = options_of(attack, victim, number);
  options.single_precision = precision == "float32";
  InversionOptions warm_up = options;
  set_iterations(warm_up.descent, 5);
  attacked(attack, victim, warm_up);
  if (target != nullptr) {
    auto& lbfgs = std::get<LbfgsOptions>(options.descent);
    lbfgs.target = std::stod(target);
    lbfgs.iterations *= 10;
  }
  const double begin = processor_time();
  const Inversion found = attacked(attack, victim, options);
  const RestartReport& restart = found.restarts.front();
  return {{"seconds", processor_time() - begin},
          {"iterations", restart.iterations},
          {"evaluations", restart.evaluations},
          {"start_value", restart.start_value},
          {"value", restart.value}};
}

// --- Restarts

struct Cost {
  double seconds = std::numeric_limits<double>::infinity();
  std::size_t iterations = 0;
  std::size_t evaluations = 0;
  double value = 0;  // of the best restart
};

double wall_time() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// By the processor's time of one thread, which does not count waiting for a core, else by the clock.
Cost cost_of(const Attack& attack, const Victim& victim, const InversionOptions& options,
             std::size_t threads) {
  set_thread_count(threads);
  const auto now = threads == 1 ? processor_time : wall_time;
  const double begin = now();
  const Inversion found = attacked(attack, victim, options);
  Cost cost{now() - begin, 0, 0, found.value};
  for (const RestartReport& restart : found.restarts) {
    cost.iterations += restart.iterations;
    cost.evaluations += restart.evaluations;
  }
  return cost;
}

void keep_best(const Cost& cost, Cost& best) {
  if (cost.seconds < best.seconds) best = cost;
}

void report(const Cost& cost, benchmark::State& state) {
  state.counters["iterations"] = static_cast<double>(cost.iterations);
  state.counters["evaluations"] = static_cast<double>(cost.evaluations);
  state.counters["us_per_evaluation"] = 1e6 * cost.seconds / static_cast<double>(cost.evaluations);
  state.counters["value"] = cost.value;
}

InversionOptions options_in(const Attack& attack, const Victim& victim, bool single_precision) {
  InversionOptions options = options_of(attack, victim, 0);
  options.single_precision = single_precision;
  return options;
}

void one_attack(benchmark::State& state, const Attack& attack, bool single_precision) {
  const Victim victim(attack, 0);
  Cost best;
  for ([[maybe_unused]] const auto unused : state) {
    const Cost cost = cost_of(attack, victim, options_in(attack, victim, single_precision), 1);
    keep_best(cost, best);
    state.SetIterationTime(cost.seconds);
  }
  report(best, state);
}

/// One restart, many in a batch and as many that race, in turn, and the best of each. Starts differ in how
/// many evaluations L-BFGS takes, so both are counted by the evaluation.
void restarts(benchmark::State& state, const Attack& attack, std::size_t threads, bool single_precision) {
  constexpr std::size_t kRestarts = 64;
  const Victim victim(attack, 0);
  InversionOptions options = options_in(attack, victim, single_precision);
  set_iterations(options.descent, attack.restart_iterations);
  Cost single, batch, race;
  for ([[maybe_unused]] const auto unused : state) {
    options.restarts = 1;
    options.racing = false;
    keep_best(cost_of(attack, victim, options, threads), single);
    options.restarts = kRestarts;
    options.racing = true;
    keep_best(cost_of(attack, victim, options, threads), race);
    options.racing = false;
    const Cost cost = cost_of(attack, victim, options, threads);
    keep_best(cost, batch);
    state.SetIterationTime(cost.seconds);
  }
  report(batch, state);
  const double single_us = 1e6 * single.seconds / static_cast<double>(single.evaluations);
  state.counters["single_us_per_evaluation"] = single_us;
  state.counters["race_costs_single_runs"] = race.seconds / single.seconds;
  state.counters["batch_costs_single_runs"] = batch.seconds / single.seconds;
  state.counters["race_value"] = race.value;
  state.counters["restarts_gain"] = single_us / state.counters["us_per_evaluation"];
}

template <class Run>
void add(const std::string& name, Run run) {
  constexpr int kTurns = 5;
  benchmark::RegisterBenchmark(name.c_str(), run)
      ->UseManualTime()
      ->Iterations(kTurns)
      ->Unit(benchmark::kMillisecond);
}

void add_benchmarks() {
  for (const Attack& attack : attacks()) {
    for (const bool single : {false, true}) {
      const std::string type = single ? ", float" : ", double";
      add(attack.name + type, [=](benchmark::State& state) { one_attack(state, attack, single); });
      for (const std::size_t threads : {std::size_t{1}, std::size_t{2}}) {
        add("64 restarts, " + attack.name + type + ", " + std::to_string(threads) + " threads",
            [=](benchmark::State& state) { restarts(state, attack, threads, single); });
      }
    }
  }
}

int run(const std::vector<std::string>& arguments) {
  set_thread_count(1);
  if (arguments[0] == "problems" && arguments.size() == 2) {
    write_problems(arguments[1]);
    return 0;
  }
  if (arguments[0] == "solve" && (arguments.size() == 4 || arguments.size() == 5)) {
    const char* target = arguments.size() == 5 ? arguments[4].c_str() : nullptr;
    std::cout << solve(arguments[1], std::stoul(arguments[2]), arguments[3], target).dump() << "\n";
    return 0;
  }
  std::cerr << "inversion_bench problems DIRECTORY | solve NAME VICTIM float32|float64 [TARGET]\n";
  return 2;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc > 1 && argv[1][0] != '-') return run({argv + 1, argv + argc});
  add_benchmarks();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
