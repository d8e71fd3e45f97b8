#include "model_training.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "console.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/progress.hpp"
#include "earshot/data/catalogue/catalogue.hpp"
#include "earshot/pipeline/model_fit.hpp"
#include "earshot/training/trainer.hpp"
#include "earshot/training/training_data.hpp"
#include "model_argument.hpp"
#include "statement_text.hpp"

namespace earshot::cli {
namespace {

struct TrainOptions {
  ModelArgument model;
  Choice network;  // what `model` and `set` come to
  DataChoice data;
  std::vector<std::string> set;
  TrainerOptions training;
  std::string optimiser = "adam";
  double rate = 1e-3;
  double momentum = 0;
  double weight_decay = 0;
  double validation_share = 0;
  std::size_t folds = 0;
  bool single = false;
  bool dp = false;
  PrivacyOptions privacy;
  std::string draw = "poisson";
  std::optional<double> budget;
  std::uint64_t seed = 1;
  std::string out;
  bool json = false;
};

/// One trained model and how it got there.
struct Trained {
  ChosenModel model;
  std::vector<double> parameters;
  TrainingResult result;
  double seconds = 0;
};

BatchDraw draw_of(const std::string& name) {
  if (name == "fixed") return BatchDraw::kFixedSize;
  return name == "shuffled" ? BatchDraw::kShuffled : BatchDraw::kPoisson;
}

void complete(TrainOptions& options) {
  const ComponentSettings settings = component_settings(options.set);
  options.network = model_choice(options.model, settings.model);
  options.data.settings = settings.data;
  options.data.seed = options.seed;
  options.training.seed = options.seed;
  options.training.precision = options.single ? Precision::kSingle : Precision::kDouble;
  if (options.optimiser == "adam") {
    if (options.momentum != 0) fail(Fault::kUsage, "--momentum belongs to --optimiser sgd");
    options.training.optimiser = AdamOptions{options.rate, options.weight_decay};
  } else {
    options.training.optimiser = SgdOptions{options.rate, options.momentum, options.weight_decay};
  }
  if (options.dp) {
    options.privacy.draw = draw_of(options.draw);
    options.privacy.budget = options.budget;
    options.training.privacy = options.privacy;
  }
}

void refuse_dp_options_without_dp(const CLI::App& command) {
  if (command.count("--dp") > 0) return;
  for (const char* option :
       {"--clip", "--noise", "--delta", "--draw", "--budget", "--together", "--accountant"}) {
    if (command.count(option) > 0) fail(Fault::kUsage, fmt::format("{} needs --dp", option));
  }
}

std::string scores_text(const Scores& scores) {
  if (scores.classes)
    return fmt::format("{:9.4f} {:8.2f} % {:8.2f} %", scores.loss, 100 * scores.accuracy,
                       100 * scores.baseline);
  return fmt::format("{:9.4f} {:10.4f} {:10.4f}", scores.loss, scores.accuracy, scores.baseline);
}

/// The part epochs are judged by on the screen: the test part, or the validation part where there is none.
const std::optional<Scores>& shown(const EpochReport& epoch) {
  return epoch.test ? epoch.test : epoch.validation;
}

void print_heading(const TrainingData& data, const TrainingParts& parts) {
  const bool classes = data.examples->targets().classes != 0;
  fmt::print("{}: {} training, {} validation, {} test examples; {}\n",
             data.description["name"].get<std::string>(), parts.train.size(), parts.validation.size(),
             parts.test.size(), data.description["split"].get<std::string>());
  fmt::print("{:>5} {:>10} {:>9} {:>10} {:>10} {:>9}\n", "epoch", "train loss", "loss",
             classes ? "accuracy" : "rmse", classes ? "majority" : "mean guess", "epsilon");
}

void print_epoch(const EpochReport& epoch) {
  const std::string loss = epoch.train_loss ? fmt::format("{:.4f}", *epoch.train_loss) : "-";
  const std::string scores = shown(epoch) ? scores_text(*shown(epoch)) : "";
  const std::string epsilon = epoch.epsilon ? fmt::format("{:.3f}", *epoch.epsilon) : "";
  fmt::print("{:>5} {:>10} {:<31} {:>9}\n", epoch.epoch, loss, scores, epsilon);
  std::fflush(stdout);  // a log file should grow while training lasts
}

Json epoch_json(const EpochReport& epoch) {
  Json out{{"epoch", epoch.epoch}};
  if (epoch.train_loss) out["train_loss"] = *epoch.train_loss;
  if (epoch.validation) out["validation"] = to_json(*epoch.validation);
  if (epoch.test) out["test"] = to_json(*epoch.test);
  if (epoch.epsilon) out["epsilon"] = *epoch.epsilon;
  return out;
}

Json training_json(const TrainOptions& options) {
  const TrainerOptions& t = options.training;
  Json out{{"epochs", t.epochs},
           {"batch", t.batch},
           {"drop_last", t.drop_last},
           {"optimiser", options.optimiser},
           {"rate", options.rate},
           {"momentum", options.momentum},
           {"weight_decay", options.weight_decay},
           {"patience", t.patience},
           {"precision", options.single ? "single" : "double"},
           {"seed", options.seed}};
  if (options.dp) {
    out["privacy"] = {{"clip", options.privacy.clip},
                      {"noise_multiplier", options.privacy.noise},
                      {"delta", options.privacy.delta},
                      {"draw", options.draw},
                      {"accountant", options.privacy.accountant}};
  }
  return out;
}

Json result_json(const Trained& trained) {
  const TrainingResult& result = trained.result;
  Json epochs = Json::array();
  for (const EpochReport& epoch : result.epochs) epochs.push_back(epoch_json(epoch));
  Json out{{"steps", result.steps},
           {"interrupted", result.interrupted},
           {"stopped_early", result.stopped_early},
           {"budget_exhausted", result.budget_exhausted},
           {"epochs", std::move(epochs)}};
  if (result.statement) out["privacy"] = to_json(*result.statement);
  if (result.clipping) {
    out["clipping"] = {{"examples", result.clipping->examples},
                       {"clipped", result.clipping->clipped},
                       {"non_finite", result.clipping->non_finite}};
  }
  return out;
}

/// Where a checkpoint came from. No durations: the same command writes the same bytes.
Json provenance(const TrainOptions& options, const TrainingData& data, const Trained& trained) {
  Json out{{"data", data.description},
           {"engine", trained.model.engine},
           {"training", training_json(options)},
           {"steps", trained.result.steps}};
  if (trained.result.interrupted) out["interrupted"] = true;
  if (!trained.result.epochs.empty()) out["last_epoch"] = epoch_json(trained.result.epochs.back());
  if (trained.result.statement) out["privacy"] = to_json(*trained.result.statement);
  return out;
}

Trained train_once(const TrainOptions& options, TrainingData& data, const TrainingParts& parts, bool talk) {
  Trained trained{choose_model(options.network, data.examples.get(), sources_from({})), {}, {}, 0};
  Stream stream({options.seed, Purpose::kModelInit});
  trained.parameters = start_parameters(trained.model, stream);
  if (talk) print_heading(data, parts);
  const auto start = std::chrono::steady_clock::now();
  trained.result = train(*trained.model.model, trained.parameters, *data.examples, parts, options.training,
                         [&](const EpochReport& epoch) {
                           if (talk) print_epoch(epoch);
                         });
  if (trained.result.statement) add_assumptions(trained.model, *trained.result.statement);
  trained.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return trained;
}

void print_end(const Trained& trained) {
  const TrainingResult& result = trained.result;
  if (result.stopped_early)
    fmt::print("stopped early; the parameters are those of the best validation loss\n");
  if (result.budget_exhausted) fmt::print("stopped: the next step would have overspent the budget\n");
  if (result.statement) fmt::print("{}", statement_text(*result.statement, terminal_style()));
  fmt::print("{} steps in {}\n", result.steps, human_duration(trained.seconds));
}

void store(const TrainOptions& options, const TrainingData& data, const Trained& trained) {
  if (options.out.empty()) return;
  const std::span<const double> buffers = trained.model.model->buffers();
  save_checkpoint(options.out, {trained.model.network,
                                provenance(options, data, trained),
                                trained.parameters,
                                {buffers.begin(), buffers.end()}});
}

void train_and_store(const TrainOptions& options) {
  TrainingData data = load_training_data(options.data, data_directory());
  hold_out_validation(data.parts, options.validation_share, options.seed);
  const bool talk = !options.json;
  const Trained trained = train_once(options, data, data.parts, talk);
  store(options, data, trained);
  if (talk) {
    print_end(trained);
  } else {
    Json document{{"data", data.description},           {"model", options.model.name},
                  {"engine", trained.model.engine},     {"parameters", trained.parameters.size()},
                  {"training", training_json(options)}, {"seconds", trained.seconds}};
    document.update(result_json(trained));
    print_json(document);
  }
  if (trained.result.interrupted) {
    fail(Fault::kInterrupted, options.out.empty() ? "interrupted; nothing was stored, since there is no --out"
                                                  : "interrupted; what was trained so far is stored");
  }
}

struct FoldScores {
  std::vector<double> accuracy;
  std::vector<double> baseline;
};

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// Standard deviation between the folds.
double deviation(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += (value - mean(values)) * (value - mean(values));
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

/// Each fold is tested on once; the last epoch counts, so that no epoch is chosen by its test score.
void cross_validate(const TrainOptions& options) {
  if (!options.out.empty()) fail(Fault::kUsage, "--folds trains several models; leave out --out");
  FoldScores scores;
  Json description;
  for (std::size_t fold = 0; fold < options.folds; ++fold) {
    // Loaded anew: what is fitted to the training part must not have seen this fold.
    DataChoice choice = options.data;
    choice.folds = options.folds;
    choice.fold = fold;
    TrainingData data = load_training_data(choice, data_directory());
    description = data.description;
    hold_out_validation(data.parts, options.validation_share, options.seed);
    const Trained trained = train_once(options, data, data.parts, false);
    if (trained.result.interrupted) fail(Fault::kInterrupted, "interrupted; nothing was stored");
    const Scores& last = *trained.result.epochs.back().test;
    scores.accuracy.push_back(last.accuracy);
    scores.baseline.push_back(last.baseline);
    if (!options.json) {
      fmt::print("fold {:>2}: {:.4f} (always the majority: {:.4f})\n", fold + 1, last.accuracy,
                 last.baseline);
    }
  }
  if (options.json) {
    description.erase("split");
    print_json({{"data", description},
                {"training", training_json(options)},
                {"folds", scores.accuracy},
                {"mean", mean(scores.accuracy)},
                {"deviation", deviation(scores.accuracy)},
                {"baseline", mean(scores.baseline)}});
  } else {
    fmt::print("mean {:.4f}, deviation between folds {:.4f}; always the majority: {:.4f}\n",
               mean(scores.accuracy), deviation(scores.accuracy), mean(scores.baseline));
  }
}

void add_data_options(CLI::App& command, TrainOptions& options) {
  command.add_option("--data", options.data.name, "dataset to learn from, or a CSV file of your own")
      ->required();
  command.add_option("--schema", options.data.schema,
                     "of a CSV file: TOML as `earshot data describe` writes it");
  command.add_option("--test-share", options.data.test_share, "held out where no test part was published")
      ->check(CLI::Range(0.0, 0.99))
      ->capture_default_str();
  command.add_option("--limit", options.data.limit, "train on so many examples only");
  command.add_flag("--flip", options.data.flip, "mirror pictures at random while training");
  command
      .add_option("--validation", options.validation_share, "share of the training part kept for validation")
      ->check(CLI::Range(0.0, 0.99));
  command.add_option("--folds", options.folds, "cross-validate with so many parts instead")
      ->check(CLI::Range(2, 1000));
}

void add_training_options(CLI::App& command, TrainOptions& options) {
  command.add_option("--epochs", options.training.epochs, "passes over the training part")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command.add_option("--batch", options.training.batch, "examples per step; 0: all")->capture_default_str();
  command.add_flag("--drop-last", options.training.drop_last, "leave out a last batch that is not full");
  command.add_option("--optimiser", options.optimiser, "how to step")
      ->check(CLI::IsMember({"adam", "sgd"}))
      ->capture_default_str();
  command.add_option("--rate", options.rate, "learning rate")->capture_default_str();
  command.add_option("--momentum", options.momentum, "of sgd");
  command.add_option("--weight-decay", options.weight_decay, "times the parameters, added to the gradient");
  command.add_option("--patience", options.training.patience,
                     "stop after so many epochs without a better validation loss");
  command.add_flag("--single", options.single, "compute gradients in 32 bits");
  command.add_option("--seed", options.seed, "of start, order, split, dropout and noise")
      ->capture_default_str();
  command.add_option("--out", options.out, "checkpoint to write");
}

void add_privacy_options(CLI::App& command, TrainOptions& options) {
  command.add_flag("--dp", options.dp, "DP-SGD: clip each example's gradient, add noise to their sum");
  command.add_option("--clip", options.privacy.clip, "L2 norm of an example's gradient at most")
      ->capture_default_str();
  command.add_option("--noise", options.privacy.noise, "noise multiplier: deviation / clip")
      ->capture_default_str();
  command.add_option("--delta", options.privacy.delta, "of the statement")->capture_default_str();
  command.add_option("--draw", options.draw, "how a batch is drawn")
      ->check(CLI::IsMember({"poisson", "fixed", "shuffled"}))
      ->capture_default_str();
  command.add_option("--budget", options.budget, "stop before epsilon exceeds this");
  command.add_option("--accountant", options.privacy.accountant, "rdp, pld or zcdp")->capture_default_str();
  command.add_option("--together", options.training.together, "examples evaluated at a time; 0: the batch");
}

}  // namespace

void add_train(CLI::App& model) {
  CLI::App* command = model.add_subcommand("train", "Train a model on one machine, with or without privacy");
  auto options = std::make_shared<TrainOptions>();
  add_trained_model(*command, options->model);
  add_data_options(*command, *options);
  command
      ->add_option("--set", options->set, "a setting: --set model.hidden=400,400 --set data.encoding=binary")
      ->take_all();
  add_training_options(*command, *options);
  add_privacy_options(*command, *options);
  command->add_flag("--json", options->json, "print one JSON document on stdout");
  command->callback([options, command] {
    refuse_dp_options_without_dp(*command);
    complete(*options);
    if (options->folds > 0) {
      cross_validate(*options);
    } else {
      train_and_store(*options);
    }
  });
}

}  // namespace earshot::cli
