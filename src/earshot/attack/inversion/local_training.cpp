#include "earshot/attack/inversion/local_training.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

/// Records first ... first + count - 1 of the victim.
struct Stretch {
  std::size_t first = 0;
  std::size_t count = 0;
};

std::vector<Stretch> schedule(const LocalTraining& training, std::size_t records) {
  std::vector<Stretch> steps;
  for (std::size_t epoch = 0; epoch < training.epochs; ++epoch)
    for (std::size_t first = 0; first < records; first += training.batch)
      steps.push_back({first, std::min(training.batch, records - first)});
  return steps;
}

class UnrolledTraining : public Predictor<double> {
 public:
  UnrolledTraining(const Model& model, const Observation& observation)
      : parameters_(model.parameter_count()),
        inputs_(model.input_size()),
        outputs_(model.output_size()),
        rate_(observation.local_training->rate),
        records_(observation.records),
        start_(observation.terms.front().parameters),
        probe_(model.evaluation()) {
    for (const Stretch& stretch : schedule(*observation.local_training, observation.records))
      steps_.push_back({stretch, model.evaluation(), {}, {}, {}});
  }

  void predict(const Guesses<double>& guesses, std::span<double> out) override {
    count_ = guesses.count;
    losses_.resize(count_);
    gradient_.resize(count_ * parameters_);
    current_.resize(count_ * parameters_);
    for (std::size_t k = 0; k < count_; ++k)
      std::ranges::copy(start_, current_.begin() + static_cast<std::ptrdiff_t>(k * parameters_));
    for (Step& step : steps_) {
      step.parameters = current_;
      gather(guesses.inputs, inputs_, step.stretch, step.inputs);
      gather(guesses.targets, outputs_, step.stretch, step.targets);
      step.evaluation->gradients(problems(step, step.parameters), losses_, gradient_);
      for (std::size_t i = 0; i < current_.size(); ++i) current_[i] -= rate_ * gradient_[i];
    }
    for (std::size_t k = 0; k < count_; ++k)
      for (std::size_t i = 0; i < parameters_; ++i)
        out[k * parameters_ + i] = start_[i] - current_[k * parameters_ + i];
  }

  void pull(std::span<const double> directions, ProblemGradient<double> out) override {
    lambda_.assign(directions.begin(), directions.end());
    std::ranges::fill(out.inputs, 0.0);
    std::ranges::fill(out.targets, 0.0);
    for (std::size_t k = steps_.size(); k-- > 0;) {
      Step& step = steps_[k];
      batch_inputs_.resize(out.inputs.empty() ? 0 : step.inputs.size());
      batch_targets_.resize(out.targets.empty() ? 0 : step.targets.size());
      step.evaluation->pullbacks(lambda_, {batch_inputs_, batch_targets_, {}});
      scatter(batch_inputs_, inputs_, step.stretch, out.inputs);
      scatter(batch_targets_, outputs_, step.stretch, out.targets);
      if (k > 0) go_back(step);
    }
  }

 private:
  struct Step {
    Stretch stretch;
    std::unique_ptr<Evaluation<double>> evaluation;
    std::vector<double> parameters;  // count x parameters before the step
    std::vector<double> inputs;
    std::vector<double> targets;
  };

  Problems<double> problems(const Step& step, std::span<const double> parameters) const {
    Problems<double> out;
    out.count = count_;
    out.rows = step.stretch.count;
    out.parameters = parameters;
    out.inputs = step.inputs;
    out.targets = step.targets;
    return out;
  }

  void gather(std::span<const double> all, std::size_t width, const Stretch& stretch,
              std::vector<double>& out) const {
    out.clear();
    for (std::size_t k = 0; k < count_; ++k) {
      const auto rows = all.subspan((k * records_ + stretch.first) * width, stretch.count * width);
      out.insert(out.end(), rows.begin(), rows.end());
    }
  }
  void scatter(std::span<const double> rows, std::size_t width, const Stretch& stretch,
               std::span<double> all) const {
    if (rows.empty()) return;
    const std::size_t length = stretch.count * width;
    for (std::size_t k = 0; k < count_; ++k)
      for (std::size_t i = 0; i < length; ++i)
        all[(k * records_ + stretch.first) * width + i] += rate_ * rows[k * length + i];
  }

  /// lambda <- lambda - rate H lambda, problem by problem with its own width of the difference.
  void go_back(const Step& step) {
    widths_.resize(count_);
    for (std::size_t k = 0; k < count_; ++k)
      widths_[k] = difference_width(part(step.parameters, k), part(lambda_, k));
    ahead_.resize(lambda_.size());
    behind_.resize(lambda_.size());
    gradient_at(step, +1, ahead_);
    gradient_at(step, -1, behind_);
    for (std::size_t k = 0; k < count_; ++k) {
      if (widths_[k] == 0) continue;
      for (std::size_t i = k * parameters_; i < (k + 1) * parameters_; ++i)
        lambda_[i] -= rate_ * (ahead_[i] - behind_[i]) / (2 * widths_[k]);
    }
  }
  void gradient_at(const Step& step, double sign, std::span<double> out) {
    moved_.resize(lambda_.size());
    for (std::size_t k = 0; k < count_; ++k)
      for (std::size_t i = k * parameters_; i < (k + 1) * parameters_; ++i)
        moved_[i] = step.parameters[i] + sign * widths_[k] * lambda_[i];
    probe_->gradients(problems(step, moved_), losses_, out);
  }
  std::span<const double> part(std::span<const double> all, std::size_t k) const {
    return all.subspan(k * parameters_, parameters_);
  }
  /// The cube root of the rounding unit times the size of the parameters, as a multiple of the direction.
  static double difference_width(std::span<const double> at, std::span<const double> direction) {
    double size = 0;
    double length = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      size += at[i] * at[i];
      length += direction[i] * direction[i];
    }
    return length == 0 ? 0 : 6e-6 * std::max(std::sqrt(size), 1.0) / std::sqrt(length);
  }

  std::size_t parameters_;
  std::size_t inputs_;
  std::size_t outputs_;
  double rate_;
  std::size_t records_;
  std::vector<double> start_;
  std::unique_ptr<Evaluation<double>> probe_;
  std::vector<Step> steps_;
  std::size_t count_ = 0;
  std::vector<double> losses_;
  std::vector<double> gradient_;
  std::vector<double> current_;
  std::vector<double> lambda_;
  std::vector<double> batch_inputs_;
  std::vector<double> batch_targets_;
  std::vector<double> widths_;
  std::vector<double> ahead_;
  std::vector<double> behind_;
  std::vector<double> moved_;
};

}  // namespace

std::size_t local_steps(const LocalTraining& training, std::size_t records) {
  if (training.epochs == 0 || training.batch == 0 || !(training.rate > 0))
    fail(Fault::kConfig, "local training needs at least one epoch, one record a batch and a positive rate");
  return training.epochs * ((records + training.batch - 1) / training.batch);
}

std::unique_ptr<Predictor<double>> make_unrolled_training(const Model& model,
                                                          const Observation& observation) {
  local_steps(*observation.local_training, observation.records);
  return std::make_unique<UnrolledTraining>(model, observation);
}

}  // namespace earshot
