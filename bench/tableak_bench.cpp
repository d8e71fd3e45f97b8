// TabLeak as a whole on rows of Adult: processor time of an attack, alone and against the same searches in
// PyTorch (bench/tableak_reference.py), to which the program hands its problem:
//
//   tableak_bench problem DIRECTORY
//   tableak_bench solve float32|float64 MEMBERS ITERATIONS
//
// and says how many cells it gets right on how many batches, each with a network of its own, beside guesses;
// codes are standardised as the authors do, or not:
//
//   tableak_bench accuracy BATCH BATCHES [standard|none]
#include <exception>
#include <filesystem>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "earshot/attack/tabular/baseline.hpp"
#include "earshot/attack/tabular/cell_accuracy.hpp"
#include "earshot/attack/tabular/table_layout.hpp"
#include "earshot/attack/tabular/tableak.hpp"
#include "earshot/core/files.hpp"
#include "earshot/core/json.hpp"
#include "earshot/core/parallel.hpp"
#include "earshot/data/catalogue/catalogue.hpp"
#include "earshot/data/tables/tabular_datasets.hpp"
#include "earshot/model/native/native_model.hpp"
#include "model_cases.hpp"
#include "reference.hpp"

namespace {

using namespace earshot;

constexpr std::uint64_t kSeed = 1;

/// An untrained network and what a batch of Adult makes it say.
struct Victim {
  TabularDataset table;
  TableEncoder encoder;
  Architecture architecture;
  std::unique_ptr<Model> model;
  std::vector<double> parameters, cells, targets, gradient;
  std::size_t records;

  explicit Victim(std::size_t batch, std::uint64_t number = 0, CodeScaling codes = CodeScaling::kStandard)
      : table(load_tabular("adult", data_directory())),
        encoder(table, training_rows(), {NumberScaling::kStandard, {}, codes}),
        architecture(perceptron({encoder.width(), 100, 100, 2}, ActivationKind::kRelu)),
        model(make_native_model(architecture)),
        parameters(model->parameter_count()),
        gradient(parameters.size()),
        records(batch) {
    Stream stream({kSeed, Purpose::kTest, number});
    model->initialise(stream, parameters);
    for (const std::size_t row : stream.sample_without_replacement(batch, *table.test_begins)) {
      const auto values = table.features.row(row);
      cells.insert(cells.end(), values.begin(), values.end());
      for (const double label : {0, 1}) targets.push_back(table.target[row] == label ? 1 : 0);
    }
    model->gradient(parameters, {batch, to_records(encoder, cells), targets}, gradient);
  }
  std::vector<std::size_t> training_rows() const {
    std::vector<std::size_t> rows(*table.test_begins);
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    return rows;
  }
  Observation observation() const { return observe_gradient(parameters, gradient, records); }
  TabLeakOptions options() const {
    TabLeakOptions out;
    out.targets = targets;
    out.seed = kSeed;
    return out;
  }
};

// --- For the reference

Json describe_block(const DecoderBlock& block) {
  Json low = Json::array(), high = Json::array();
  for (std::size_t i = 0; i < block.size; ++i) {
    low.push_back(block.range(i).low);
    high.push_back(block.range(i).high);
  }
  return {
      {"softmax", block.kind == DecoderKind::kSoftmax}, {"size", block.size}, {"low", low}, {"high", high}};
}

/// tableak.json and, one after the other as 64-bit numbers, tableak.bin: parameters, gradient, labels, and
/// the start of every member, drawn as invert() draws them; the reference's values there are compared with
/// ours.
void write_problem(const Victim& victim, const std::filesystem::path& directory) {
  const TabLeakOptions options = victim.options();
  std::string bytes;
  for (const auto& numbers : {victim.parameters, victim.gradient, victim.targets}) append(numbers, bytes);
  for (std::size_t member = 0; member < options.members; ++member) {
    std::vector<double> start(victim.records * victim.encoder.width());
    Stream stream({kSeed, Purpose::kAttack, 0, member});
    for (double& x : start) x = -1 + 2 * stream.uniform();
    append(start, bytes);
  }
  Json blocks = Json::array();
  for (const DecoderBlock& block : table_decoder(victim.encoder)) blocks.push_back(describe_block(block));
  const Json problem{{"records", victim.records},    {"widths", {victim.encoder.width(), 100, 100, 2}},
                     {"members", options.members},   {"iterations", options.descent.iterations},
                     {"rate", options.descent.rate}, {"blocks", blocks}};
  write_atomically(directory / "tableak.bin", bytes);
  write_atomically(directory / "tableak.json", problem.dump(1) + "\n");
}

/// The searches first, for their values, then the whole attack, which is timed.
Json solve(const Victim& victim, const std::string& precision, std::size_t members, std::size_t iterations) {
  TabLeakOptions options = victim.options();
  options.single_precision = precision == "float32";
  options.members = members;
  options.descent.iterations = iterations;
  const Inversion searched = invert(*victim.model, victim.architecture.input, victim.observation(),
                                    member_searches(victim.encoder, victim.observation(), options));
  Json starts = Json::array(), values = Json::array();
  for (const RestartReport& restart : searched.restarts) {
    starts.push_back(restart.start_value);
    values.push_back(restart.value);
  }
  const double begin = processor_time();
  const TabLeak found = tableak(*victim.model, victim.encoder, victim.observation(), options);
  const double seconds = processor_time() - begin;
  return {{"seconds", seconds},
          {"start_values", starts},
          {"values", values},
          {"accuracy", cell_accuracy(victim.encoder, victim.cells, found.pooled.cells).accuracy}};
}

// --- Right cells

void print_accuracy(std::size_t batch, std::size_t batches, CodeScaling codes) {
  constexpr std::size_t kDraws = 100;
  double pooled = 0, best = 0, random = 0, likeliest = 0;
  for (std::uint64_t number = 0; number < batches; ++number) {
    const Victim victim(batch, number, codes);
    TabLeakOptions options = victim.options();
    options.trial = number;
    const TabLeak found = tableak(*victim.model, victim.encoder, victim.observation(), options);
    const auto right = [&](std::span<const double> cells) {
      return cell_accuracy(victim.encoder, victim.cells, cells).accuracy;
    };
    const auto rows = victim.training_rows();
    Stream stream({kSeed, Purpose::kAttack, number});
    pooled += right(found.pooled.cells);
    best += right(to_cells(victim.encoder, found.members[found.best]));
    random += random_baseline(victim.encoder, victim.table.features, rows, victim.cells, kDraws, stream).mean;
    likeliest += prior_baseline(victim.encoder, victim.table.features, rows, victim.cells);
    const auto mean = [&](double sum) { return 100 * sum / static_cast<double>(number + 1); };
    std::cout << fmt::format(
                     "{} batches: right {:.2f} %, of the best member {:.2f}, random {:.2f}, likeliest {:.2f}",
                     number + 1, mean(pooled), mean(best), mean(random), mean(likeliest))
              << std::endl;
  }
}

// --- Alone

void attack(benchmark::State& state) {
  const Victim victim(static_cast<std::size_t>(state.range(0)));
  double accuracy = 0;
  for ([[maybe_unused]] const auto unused : state) {
    const double begin = processor_time();
    const TabLeak found = tableak(*victim.model, victim.encoder, victim.observation(), victim.options());
    state.SetIterationTime(processor_time() - begin);
    accuracy = cell_accuracy(victim.encoder, victim.cells, found.pooled.cells).accuracy;
  }
  state.counters["accuracy"] = accuracy;
}
BENCHMARK(attack)->Arg(1)->Arg(8)->Arg(16)->Arg(64)->UseManualTime()->Iterations(3)->Unit(
    benchmark::kMillisecond);

int run(const std::vector<std::string>& arguments) {
  constexpr std::size_t kBatch = 8;
  if (arguments[0] == "problem" && arguments.size() == 2) {
    write_problem(Victim(kBatch), arguments[1]);
    return 0;
  }
  if (arguments[0] == "solve" && arguments.size() == 4) {
    const Json result =
        solve(Victim(kBatch), arguments[1], std::stoul(arguments[2]), std::stoul(arguments[3]));
    std::cout << result.dump() << "\n";
    return 0;
  }
  const bool plain = arguments.size() == 4 && arguments[3] == "none";
  const bool standard = arguments.size() == 3 || (arguments.size() == 4 && arguments[3] == "standard");
  if (arguments[0] == "accuracy" && (plain || standard)) {
    print_accuracy(std::stoul(arguments[1]), std::stoul(arguments[2]),
                   plain ? CodeScaling::kNone : CodeScaling::kStandard);
    return 0;
  }
  std::cerr << "tableak_bench problem DIRECTORY | solve float32|float64 MEMBERS ITERATIONS | "
               "accuracy BATCH BATCHES [standard|none]\n";
  return 2;
}

}  // namespace

int main(int argc, char** argv) try {
  set_thread_count(1);
  if (argc > 1 && argv[1][0] != '-') return run({argv + 1, argv + argc});
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
