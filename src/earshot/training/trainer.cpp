#include "earshot/training/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
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

class Training {
 public:
  Training(Model& model, std::span<double> parameters, Examples& examples, const TrainingParts& parts,
           const TrainerOptions& options)
      : model_(model),
        parameters_(parameters),
        examples_(examples),
        parts_(parts),
        options_(options),
        batch_(options.batch == 0 ? parts.train.size() : std::min(options.batch, parts.train.size())),
        worker_(make_worker(model, options.precision)),
        optimiser_(make_optimiser(options, parameters.size())),
        gradient_(parameters.size()) {
    if (options.privacy) private_.emplace(*options.privacy, parts.train, batch_, options.seed);
  }

  TrainingResult run(const std::function<void(const EpochReport&)>& on_epoch) {
    Progress progress("training", options_.epochs * steps_per_epoch());
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
  std::size_t steps_per_epoch() const {
    const std::size_t whole = parts_.train.size() / batch_;
    return options_.drop_last || parts_.train.size() % batch_ == 0 ? whole : whole + 1;
  }

  /// One epoch of steps; false if it was cut short.
  bool steps(EpochReport& report, Progress& progress) {
    Stream stream({options_.seed, Purpose::kTraining, 0, 0, report.epoch});
    std::vector<std::size_t> order = stream.permutation(parts_.train.size());
    for (std::size_t& index : order) index = parts_.train[index];
    const std::size_t count = steps_per_epoch();
    double loss = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (interrupted()) {
        result_.interrupted = true;
        return false;
      }
      const std::size_t start = i * batch_;
      const auto dealt = std::span(order).subspan(start, std::min(batch_, order.size() - start));
      if (!private_) {
        loss += step(dealt, report.epoch) * static_cast<double>(dealt.size());
      } else if (!private_step(dealt, report.epoch, i == 0)) {
        result_.budget_exhausted = true;
        return false;
      }
      require_finite_parameters();
      ++result_.steps;
      progress.advance();
    }
    const std::size_t used = std::min(count * batch_, order.size());
    if (!private_) report.train_loss = loss / static_cast<double>(used);
    return true;
  }

  std::uint64_t dropout_seed() const {
    return Stream({options_.seed, Purpose::kDropout, 0, 0, result_.steps}).bits();
  }

  double step(std::span<const std::size_t> chosen, std::uint64_t epoch) {
    Problems<double> problem = examples_.gather(chosen, model_.output_size(), epoch);
    problem.parameters = parameters_;
    problem.dropout = dropout_seed();
    const double loss = worker_->gradient(problem, gradient_);
    if (!model_.buffers().empty()) model_.observe(problem, options_.statistics_momentum);
    optimiser_->step(parameters_, gradient_);
    return loss;
  }

  /// Running statistics stay as they are: they would tell of the batch without noise.
  bool private_step(std::span<const std::size_t> dealt, std::uint64_t epoch, bool first_of_epoch) {
    if (!private_->spend(result_.steps, first_of_epoch)) return false;
    std::vector<std::size_t> drawn;
    if (!private_->deals()) drawn = private_->draw(result_.steps);
    const StepBatch batch{private_->deals() ? dealt : std::span<const std::size_t>(drawn),
                          options_.together == 0 ? batch_ : options_.together,
                          model_.output_size(),
                          parameters_,
                          dropout_seed(),
                          epoch};
    private_->gradient(*worker_, examples_, batch, result_.steps, gradient_);
    optimiser_->step(parameters_, gradient_);
    return true;
  }

  void require_finite_parameters() const {
    if (std::ranges::all_of(parameters_, [](double value) { return std::isfinite(value); })) return;
    fail(Fault::kNumeric,
         fmt::format("the parameters are no longer finite after step {}; lower the learning rate",
                     result_.steps + 1));
  }

  std::optional<Scores> scores_on(const std::vector<std::size_t>& chosen) {
    if (chosen.empty()) return {};
    Scores scores = evaluate(model_, *worker_, parameters_, examples_, chosen);
    scores.baseline = baseline(examples_.targets(), parts_.train, chosen);
    return scores;
  }

  void score(EpochReport& report) {
    report.validation = scores_on(parts_.validation);
    report.test = scores_on(parts_.test);
    if (private_) report.epsilon = private_->statement().epsilon;
  }

  bool out_of_patience(const EpochReport& report) {
    if (options_.patience == 0) return false;
    if (report.validation->loss < best_loss_ - options_.least_gain) {
      best_loss_ = report.validation->loss;
      best_.assign(parameters_.begin(), parameters_.end());
      best_buffers_.assign(model_.buffers().begin(), model_.buffers().end());
      waited_ = 0;
      return false;
    }
    result_.stopped_early = ++waited_ >= options_.patience;
    return result_.stopped_early;
  }

  void finish() {
    if (!best_.empty() && !result_.interrupted) {
      std::ranges::copy(best_, parameters_.begin());
      model_.set_buffers(best_buffers_);
    }
    if (!private_) return;
    result_.clipping = private_->clipping();
    result_.ledger = private_->ledger();
    if (!result_.ledger->entries().empty()) result_.statement = private_->statement();
  }

  Model& model_;
  std::span<double> parameters_;
  Examples& examples_;
  const TrainingParts& parts_;
  const TrainerOptions& options_;
  std::size_t batch_;
  std::unique_ptr<Worker> worker_;
  std::unique_ptr<Optimiser> optimiser_;
  std::optional<PrivateSteps> private_;
  std::vector<double> gradient_;
  TrainingResult result_;
  double best_loss_ = std::numeric_limits<double>::infinity();
  std::vector<double> best_;
  std::vector<double> best_buffers_;
  std::size_t waited_ = 0;
};

}  // namespace

TrainingResult train(Model& model, std::span<double> parameters, Examples& examples,
                     const TrainingParts& parts, const TrainerOptions& options,
                     const std::function<void(const EpochReport&)>& on_epoch) {
  check(options, examples, parts);
  return Training(model, parameters, examples, parts, options).run(on_epoch);
}

}  // namespace earshot
