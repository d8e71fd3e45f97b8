#include "earshot/training/scores.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

/// How many records are looked at together: enough to be quick, few enough to fit.
constexpr std::size_t kTogether = 64;

double softplus(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

double softmax_loss(std::span<const double> z, std::span<const double> q) {
  const double top = *std::ranges::max_element(z);
  double sum = 0;
  double mass = 0;
  double product = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    sum += std::exp(z[i] - top);
    mass += q[i];
    product += q[i] * z[i];
  }
  return mass * (top + std::log(sum)) - product;
}

/// The class the outputs name; one output speaks of two classes.
std::size_t named_class(std::span<const double> outputs) {
  if (outputs.size() == 1) return outputs[0] > 0 ? 1 : 0;
  return static_cast<std::size_t>(std::ranges::max_element(outputs) - outputs.begin());
}

class Tally {
 public:
  Tally(LossKind loss, const Targets& targets) : loss_(loss), targets_(targets) {}

  void add(std::size_t example, std::span<const double> outputs, std::span<const double> target) {
    ++examples_;
    loss_sum_ += example_loss(loss_, outputs, target);
    const double value = targets_.values[example];
    if (targets_.classes == 0) {
      squares_ += (outputs[0] - value) * (outputs[0] - value);
    } else {
      right_ += named_class(outputs) == static_cast<std::size_t>(value) ? 1 : 0;
    }
  }

  Scores scores() const {
    const double count = static_cast<double>(examples_);
    const bool classes = targets_.classes != 0;
    const double score = classes ? static_cast<double>(right_) / count : std::sqrt(squares_ / count);
    return {examples_, loss_sum_ / count, classes, score, 0};
  }

 private:
  LossKind loss_;
  const Targets& targets_;
  std::size_t examples_ = 0;
  std::size_t right_ = 0;
  double loss_sum_ = 0;
  double squares_ = 0;
};

std::size_t most_frequent(const Targets& targets, std::span<const std::size_t> train) {
  std::vector<std::size_t> counts(targets.classes);
  for (const std::size_t i : train) ++counts[static_cast<std::size_t>(targets.values[i])];
  return static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin());
}

}  // namespace

Json to_json(const Scores& scores) {
  const char* score = scores.classes ? "accuracy" : "rmse";
  const char* baseline = scores.classes ? "majority_class_accuracy" : "training_mean_rmse";
  return {{"examples", scores.examples},
          {"loss", scores.loss},
          {score, scores.accuracy},
          {baseline, scores.baseline}};
}

double example_loss(LossKind loss, std::span<const double> outputs, std::span<const double> targets) {
  if (loss == LossKind::kSoftmaxCrossEntropy) return softmax_loss(outputs, targets);
  double sum = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const double z = outputs[i];
    const double q = targets[i];
    sum += loss == LossKind::kBinaryCrossEntropy ? softplus(z) - q * z : (z - q) * (z - q);
  }
  return sum / static_cast<double>(outputs.size());
}

double baseline(const Targets& targets, std::span<const std::size_t> train,
                std::span<const std::size_t> chosen) {
  if (train.empty() || chosen.empty()) fail(Fault::kConfig, "a baseline needs examples");
  double sum = 0;
  if (targets.classes != 0) {
    const auto said = static_cast<double>(most_frequent(targets, train));
    for (const std::size_t i : chosen) sum += targets.values[i] == said ? 1 : 0;
    return sum / static_cast<double>(chosen.size());
  }
  double mean = 0;
  for (const std::size_t i : train) mean += targets.values[i] / static_cast<double>(train.size());
  for (const std::size_t i : chosen) sum += (targets.values[i] - mean) * (targets.values[i] - mean);
  return std::sqrt(sum / static_cast<double>(chosen.size()));
}

Scores evaluate(const Model& model, Worker& worker, Parameters parameters, const Examples& examples,
                std::span<const std::size_t> chosen) {
  if (chosen.empty()) fail(Fault::kConfig, "there are no examples to evaluate on");
  const std::size_t width = model.output_size();
  const std::size_t together = examples.connected() ? chosen.size() : kTogether;
  Tally tally(model.loss(), examples.targets());
  std::vector<double> outputs;
  ExampleMemory memory;
  for (std::size_t start = 0; start < chosen.size(); start += together) {
    const auto part = chosen.subspan(start, std::min(together, chosen.size() - start));
    Problems<double> problem = examples.gather(part, width, 0, memory);
    problem.parameters = parameters;
    outputs.resize(problem.targets.size());
    worker.outputs(problem, outputs);
    for (std::size_t i = 0; i < part.size(); ++i) {
      const std::size_t row = examples.connected() ? part[i] : i;
      tally.add(part[i], std::span(outputs).subspan(row * width, width),
                problem.targets.subspan(row * width, width));
    }
  }
  return tally.scores();
}

}  // namespace earshot
