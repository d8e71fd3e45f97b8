#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "commands.hpp"
#include "console.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/interrupt.hpp"
#include "earshot/core/parallel.hpp"
#include "earshot/core/progress.hpp"
#include "earshot/core/text.hpp"
#include "earshot/experiment/plan.hpp"
#include "earshot/pipeline/components.hpp"
#include "earshot/pipeline/pipeline.hpp"
#include "earshot/pipeline/plan_files.hpp"
#include "earshot/pipeline/train_trial.hpp"
#include "earshot/pipeline/training_store.hpp"
#include "graph_argument.hpp"
#include "model_argument.hpp"
#include "setting_argument.hpp"
#include "train_output.hpp"

namespace earshot::cli {
namespace {

struct TrainOptions {
  std::string protocol;
  std::string data;
  std::string schema;  // of a CSV file
  ModelArgument model;
  std::optional<std::size_t> nodes;
  std::string partition = "iid";
  std::string graph;
  std::string weights;
  std::string mechanism;
  std::string faults;
  std::string adversary;
  bool keep_view = false;
  std::optional<std::uint64_t> rounds;
  std::vector<std::string> set;
  std::uint64_t seed = 1;
  std::string out;
  double checkpoint_seconds = 10;
  CommonOptions common;
};

constexpr const char* kCurves = R"([[curve]]
title = "Loss by round"
table = "rounds"
x = "round"
y = ["train_loss", "loss"]
[[curve]]
title = "Accuracy by round, beside always saying the majority"
table = "rounds"
x = "round"
y = ["accuracy", "baseline"]
[[curve]]
title = "Epsilon spent by round"
table = "rounds"
x = "round"
y = ["epsilon"]
)";

bool sets(const TrainOptions& options, const std::string& key) {
  return std::ranges::any_of(options.set, [&](const std::string& s) { return s.starts_with(key + "="); });
}

const ProtocolComponent& protocol_of(const TrainOptions& options) {
  if (const ProtocolComponent* component = find_training_protocol(options.protocol)) return *component;
  std::vector<std::string> names;
  for (const ProtocolComponent& component : training_protocols()) names.push_back(component.schema.name);
  fail(Fault::kUsage, fmt::format("there is no protocol \"{}\" that trains; {}", options.protocol,
                                  suggest(options.protocol, names)));
}

void require_choices(const TrainOptions& options) {
  if (options.mechanism.empty())
    fail(Fault::kUsage,
         "say how the records are protected: --mechanism dp_sgd --set mechanism.epsilon=8, another one of "
         "`earshot list mechanism`, or --mechanism none to train without privacy");
  if (!options.rounds && !sets(options, "protocol.rounds"))
    fail(Fault::kUsage, "say how long to train, for example --rounds 20");
  if (options.keep_view && (options.adversary.empty() || options.out.empty()))
    fail(Fault::kUsage, "--keep-view: say who listens with --adversary, and where to keep it with --out");
}

/// "nodes = 10", where the graph has any number of them.
std::string graph_nodes(const TrainOptions& options, const std::string& kind) {
  const Catalogue catalogue = standard_catalogue();
  const Schema* schema = catalogue.find("graph", kind);
  const bool sized = schema != nullptr && std::ranges::any_of(schema->parameters, [](const Parameter& p) {
                       return p.key == "nodes";
                     });
  if (!sized && options.nodes)
    fail(Fault::kUsage, fmt::format("--nodes: graph {} has its own nodes; leave it out", options.graph));
  if (!sized || sets(options, "graph.nodes")) return "";
  return fmt::format("nodes = {}\n", options.nodes.value_or(kUsualNodes));
}

std::string network_sections(const TrainOptions& options, NetworkNeed needs) {
  if (needs == NetworkNeed::kNone) {
    if (!options.graph.empty() || !options.weights.empty())
      fail(Fault::kUsage, fmt::format("protocol {} brings its own network; leave out --graph and --weights",
                                      options.protocol));
    if (options.protocol == "central") return "";
    return fmt::format("[partition]\nkind = {}\nnodes = {}\n", toml_text(options.partition),
                       options.nodes.value_or(kUsualNodes));
  }
  const std::string body = graph_section(options.graph.empty() ? "ring" : options.graph, {});
  const std::string kind = parse_override(body.substr(0, body.find('\n'))).value.get<std::string>();
  std::string text = fmt::format("[partition]\nkind = {}\n[graph]\n{}{}", toml_text(options.partition), body,
                                 graph_nodes(options, kind));
  if (needs == NetworkNeed::kWeights)
    text += "[weights]\n" + weights_section(options.weights.empty() ? "metropolis" : options.weights);
  else if (!options.weights.empty())
    fail(Fault::kUsage, fmt::format("protocol {} has no use for --weights", options.protocol));
  return text;
}

std::string data_section(const TrainOptions& options) {
  if (options.schema.empty()) return fmt::format("kind = {}\n", toml_text(options.data));
  return fmt::format("kind = \"csv\"\npath = {}\nschema = {}\n", toml_text(options.data),
                     toml_text(options.schema));
}

/// A training is an ordinary experiment of one cell and one trial.
std::string train_plan(const TrainOptions& options) {
  const ProtocolComponent& protocol = protocol_of(options);
  require_choices(options);
  std::string text = fmt::format(
      "name = \"train\"\ntitle = {}\nseed = {}\n[data]\n{}{}[model]\n{}",
      toml_text(fmt::format("Training {} on {} by {}", options.model.name, options.data, options.protocol)),
      options.seed, data_section(options), network_sections(options, protocol.needs),
      model_section(options.model));
  text += fmt::format("[protocol]\nkind = {}\n", toml_text(options.protocol));
  if (options.rounds) text += fmt::format("rounds = {}\n", *options.rounds);
  text += fmt::format("[mechanism]\nkind = {}\n", toml_text(options.mechanism));
  if (!options.faults.empty()) text += fmt::format("[faults]\nkind = {}\n", toml_text(options.faults));
  if (!options.adversary.empty())
    text += fmt::format("[adversary]\nkind = {}\n", toml_text(options.adversary));
  text += kCurves;
  return text;
}

Plan plan_of(const TrainOptions& options, const GraphSources& sources) {
  const Catalogue catalogue = standard_catalogue();
  std::vector<Override> overrides;
  for (const std::string& setting : options.set) overrides.push_back(read_setting(setting, catalogue));
  Plan plan = parse_plan(train_plan(options), "command line", catalogue, overrides);
  plan.files = file_digests(plan, sources);
  return plan;
}

std::string reproducing_command(const TrainOptions& options) {
  std::string command =
      fmt::format("earshot train --protocol {} --data {} {} --mechanism {}", options.protocol, options.data,
                  model_words(options.model), options.mechanism);
  if (!options.schema.empty()) command += " --schema " + options.schema;
  if (options.nodes) command += fmt::format(" --nodes {}", *options.nodes);
  if (options.partition != "iid") command += " --partition " + options.partition;
  if (!options.graph.empty()) command += " --graph " + options.graph;
  if (!options.weights.empty()) command += " --weights " + options.weights;
  if (!options.faults.empty()) command += " --faults " + options.faults;
  if (!options.adversary.empty()) command += " --adversary " + options.adversary;
  if (options.rounds) command += fmt::format(" --rounds {}", *options.rounds);
  for (const std::string& setting : options.set) command += fmt::format(" --set '{}'", setting);
  if (options.seed != 1) command += fmt::format(" --seed {}", options.seed);
  return command;
}

/// What is stored when a training ends, is interrupted, or fails.
class Keeper {
 public:
  Keeper(const TrainOptions& options, const Plan& plan, TrainTrial& trial)
      : plan_(plan), trial_(trial), command_(reproducing_command(options)), keep_view_(options.keep_view) {
    if (options.out.empty()) return;
    store_.emplace(options.out, plan_digest(plan), options.checkpoint_seconds);
    if (store_->load(trial)) note(fmt::format("going on after round {}", trial.run().round()));
  }

  void save_if_due() {
    if (store_ && store_->due()) store_->save(trial_);
  }

  [[noreturn]] void interrupt() {
    if (!store_) fail(Fault::kInterrupted, "interrupted; nothing was stored, since there is no --out");
    store_->save(trial_);
    fail(Fault::kInterrupted,
         fmt::format("interrupted after round {}; run the same command to go on", trial_.run().round()));
  }

  void finish() {
    if (!store_) return;
    store_->save(trial_);
    write_training(store_->directory(), plan_, trial_, command_);
    if (keep_view_) write_views(store_->directory(), trial_);
  }

  [[noreturn]] void give_up(const Error& error) {
    if (!store_ || error.fault() != Fault::kNumeric) throw error;
    write_rounds(store_->directory(), trial_);
    throw Error(error.fault(), fmt::format("{}; the rounds before it are in {}", error.what(),
                                           (store_->directory() / "rounds.csv").string()));
  }

 private:
  const Plan& plan_;
  TrainTrial& trial_;
  std::string command_;
  bool keep_view_;
  std::optional<TrainingStore> store_;
};

void run_to_the_end(const TrainOptions& options, TrainTrial& trial, Keeper& keeper, std::uint64_t rounds) {
  TrainingRun& run = trial.run();
  Progress progress(options.protocol, rounds, run.round());
  try {
    while (run.end() == RunEnd::kNotYet) {
      if (interrupted()) keeper.interrupt();
      if (run.advance()) progress.set_status(status_text(run.reports().back()));
      progress.advance();
      keeper.save_if_due();
    }
  } catch (const Error& error) {
    if (error.fault() == Fault::kInterrupted) throw;
    keeper.give_up(error);
  }
}

void train(const TrainOptions& options) {
  set_thread_count(options.common.threads);
  const GraphSources sources = sources_from({});
  const Plan plan = plan_of(options, sources);
  TrainingSets loaded;
  if (auto problems = preflight(plan, sources, &loaded); !problems.empty())
    throw PlanError(std::move(problems));
  const Pipeline pipeline(plan, sources, std::move(loaded));
  const Cell& cell = plan.cells.at(0);
  const TrainingData& data = pipeline.training_data(cell);
  TrainTrial trial(cell, {plan.seed, 0}, data, sources);
  for (const std::string& warning : trial.protocol().warnings()) note("warning: " + warning);
  if (trial.listeners() != nullptr) note(recording_text(trial.recording_bytes()));
  Keeper keeper(options, plan, trial);
  run_to_the_end(options, trial, keeper, cell.at("protocol").settings.size("rounds"));
  keeper.finish();
  if (options.common.json)
    print_json(training_json(plan, data, trial));
  else
    print_training(data, trial, terminal_style());
}

}  // namespace

void add_train_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "train", "Train a model together, over a network, with or without privacy; resumes with --out");
  auto options = std::make_shared<TrainOptions>();
  command->add_option("--protocol", options->protocol, "how to learn together, of `earshot list protocol`")
      ->required();
  command->add_option("--data", options->data, "dataset to learn from, or a CSV file of your own")
      ->required();
  command->add_option("--schema", options->schema,
                      "of a CSV file: TOML as `earshot data describe` writes it");
  add_trained_model(*command, options->model);
  command->add_option("--nodes", options->nodes, "participants (default: 10)")
      ->check(CLI::Range(1, 10000000));
  command
      ->add_option("--partition", options->partition, "who holds which records, of `earshot list partition`")
      ->capture_default_str();
  command
      ->add_option("--graph", options->graph,
                   "topology by name, or an edge list file, where the protocol needs one (default: ring)")
      ->type_name("NAME|FILE");
  command->add_option("--weights", options->weights, "gossip weights by name or file (default: metropolis)")
      ->type_name("NAME|FILE");
  command->add_option("--mechanism", options->mechanism,
                      "how records are protected; none has to be written to train without privacy");
  command->add_option("--faults", options->faults, "what goes wrong on the way, of `earshot list faults`");
  command->add_option("--adversary", options->adversary,
                      "who listens and is recorded, of `earshot list adversary`");
  command->add_flag("--keep-view", options->keep_view, "write what the adversary heard to --out");
  command->add_option("--rounds", options->rounds, "rounds of training")->check(CLI::Range(1, 1000000000));
  command
      ->add_option("--set", options->set,
                   "a setting of any section: --set protocol.learning_rate=0.1 --set model.hidden=64")
      ->type_name("SECTION.KEY=VALUE");
  command->add_option("--seed", options->seed, "seed of all randomness")->capture_default_str();
  command->add_option("--out", options->out, "directory for checkpoint, model, table, ledger and report")
      ->type_name("DIR");
  command->add_option("--checkpoint-every", options->checkpoint_seconds, "seconds between two checkpoints")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  add_common_options(*command, options->common);
  command->callback([options] { train(*options); });
}

}  // namespace earshot::cli
