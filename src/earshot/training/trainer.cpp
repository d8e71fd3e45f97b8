#include "earshot/training/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/finite.hpp"
#include "earshot/core/interrupt.hpp"
#include "earshot/core/progress.hpp"

namespace earshot {
namespace {

std::unique_ptr<Optimiser> make_optimiser(const TrainerOptions& options, std::size_t size) {
  if (const auto* sgd = std::get_if<SgdOptions>(&options.optimiser)) return std::make_unique<Sgd>(size, *sgd);
  return std::make_unique<Adam>(size, std::get<AdamOptions>(options.optimiser));
}

void check_examples(const Examples& examples, const TrainingParts& parts) {
  std::vector<bool> seen(examples.size());
  for (const auto* part : {&parts.train, &parts.validation, &parts.test}) {
    for (const std::size_t i : *part) {
      if (i >= examples.size()) fail(Fault::kInternal, fmt::format("there is no example {}", i));
      if (seen[i]) fail(Fault::kConfig, fmt::format("example {} stands in two parts of the data", i));
      seen[i] = true;
      const bool labelled = examples.targets().classes == 0 || examples.targets().values[i] >= 0;
      if (!labelled) fail(Fault::kConfig, fmt::format("example {} has no label to learn from", i));
    }
  }
}

void check(const TrainerOptions& options, const Examples& examples, const TrainingParts& parts) {
  if (parts.train.empty()) fail(Fault::kConfig, "there are no examples to train on");
  if (options.epochs == 0) fail(Fault::kConfig, "training needs at least one epoch");
  if (options.patience > 0 && parts.validation.empty()) {
    fail(Fault::kConfig, "early stopping needs a validation part");
  }
  if (options.privacy && examples.connected()) {
    fail(Fault::kConfig,
         "clipping per node does not protect a node: its features enter the losses of its neighbours");
  }
  if (options.together > 0 && !options.privacy) {
    fail(Fault::kConfig,
         "parts of a batch can be evaluated one after the other only with per-example clipping");
  }
  if (options.batch > 0 && options.together > options.batch) {
    fail(Fault::kConfig,
         fmt::format("a step of {} examples cannot be made of parts of {}", options.batch, options.together));
  }
  check_examples(examples, parts);
}

std::size_t batch_size(const TrainerOptions& options, const TrainingParts& parts) {
  return options.batch == 0 ? parts.train.size() : std::min(options.batch, parts.train.size());
}

LearnerOptions learner_options(const TrainerOptions& options, const TrainingParts& parts) {
  LearnerOptions learner;
  learner.batch = {batch_size(options, parts), options.privacy ? options.privacy->draw : BatchDraw::kShuffled,
                   options.drop_last};
  learner.together = options.together;
  learner.statistics_momentum = options.statistics_momentum;
  learner.name = kTrainer;
  learner.observer = kModelReader;
  return learner;
}

class Training {
 public:
  Training(Model& model, std::span<double> parameters, const Examples& examples, const TrainingParts& parts,
           const TrainerOptions& options)
      : model_(model),
        parameters_(parameters),
        parts_(parts),
        options_(options),
        task_(model, examples, options.precision),
        learner_(task_, parts.train, learner_options(options, parts),
                 options.privacy ? dp_sgd(*options.privacy) : no_protection(), {options.seed, 0, 0}),
        optimiser_(make_optimiser(options, parameters.size())),
        state_(parameters.begin(), parameters.end()),
        gradient_(parameters.size()) {
    state_.insert(state_.end(), model.buffers().begin(), model.buffers().end());
  }

  TrainingResult run(const std::function<void(const EpochReport&)>& on_epoch) {
    Progress progress("training", options_.epochs * learner_.steps_per_epoch());
    for (std::size_t epoch = 1; epoch <= options_.epochs; ++epoch) {
      EpochReport report{epoch, {}, {}, {}, {}};
      if (!steps(report, progress)) break;
      score(report);
      result_.epochs.push_back(report);
      if (on_epoch) on_epoch(report);
      if (out_of_patience(report)) break;
    }
    finish();
    return std::move(result_);
  }

 private:
  /// One epoch of steps; false if it was cut short.
  bool steps(EpochReport& report, Progress& progress) {
    for (std::size_t i = 0; i < learner_.steps_per_epoch(); ++i) {
      result_.interrupted = interrupted();
      if (result_.interrupted) return false;
      result_.budget_exhausted = !learner_.gradient(state_, gradient_);
      if (result_.budget_exhausted) return false;
      optimiser_->step(parameters(), gradient_);
      require_finite_parameters();
      ++result_.steps;
      progress.advance();
    }
    report.train_loss = learner_.take_loss();
    return true;
  }

  std::span<double> parameters() { return std::span(state_).first(parameters_.size()); }

  void require_finite_parameters() const {
    if (all_finite(state_)) return;
    fail(Fault::kNumeric,
         fmt::format("the parameters are no longer finite after step {}; lower the learning rate",
                     result_.steps + 1));
  }

  std::optional<Scores> scores_on(const std::vector<std::size_t>& chosen) {
    if (chosen.empty()) return {};
    Scores scores = task_.scores(state_, chosen);
    scores.baseline = baseline(task_.examples().targets(), parts_.train, chosen);
    return scores;
  }

  void score(EpochReport& report) {
    report.validation = scores_on(parts_.validation);
    report.test = scores_on(parts_.test);
    if (options_.privacy) report.epsilon = learner_.statement().epsilon;
  }

  bool out_of_patience(const EpochReport& report) {
    if (options_.patience == 0) return false;
    if (report.validation->loss < best_loss_ - options_.least_gain) {
      best_loss_ = report.validation->loss;
      best_ = state_;
      waited_ = 0;
      return false;
    }
    result_.stopped_early = ++waited_ >= options_.patience;
    return result_.stopped_early;
  }

  void finish() {
    if (!best_.empty() && !result_.interrupted) state_ = best_;
    std::ranges::copy(parameters(), parameters_.begin());
    model_.set_buffers(std::span(state_).subspan(parameters_.size()));
    if (!options_.privacy) return;
    result_.clipping = learner_.clipping();
    result_.ledger = learner_.ledger();
    if (!result_.ledger->entries().empty()) result_.statement = learner_.statement();
  }

  Model& model_;
  std::span<double> parameters_;
  const TrainingParts& parts_;
  const TrainerOptions& options_;
  LearningTask task_;
  Learner learner_;
  std::unique_ptr<Optimiser> optimiser_;
  std::vector<double> state_;
  std::vector<double> gradient_;
  TrainingResult result_;
  double best_loss_ = std::numeric_limits<double>::infinity();
  std::vector<double> best_;
  std::size_t waited_ = 0;
};

}  // namespace

TrainingResult train(Model& model, std::span<double> parameters, const Examples& examples,
                     const TrainingParts& parts, const TrainerOptions& options,
                     const std::function<void(const EpochReport&)>& on_epoch) {
  check(options, examples, parts);
  return Training(model, parameters, examples, parts, options).run(on_epoch);
}

}  // namespace earshot
