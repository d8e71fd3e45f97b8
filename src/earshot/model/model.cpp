#include "earshot/model/model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "earshot/core/error.hpp"

namespace earshot {

GraphPattern complete_pattern(std::size_t nodes) {
  GraphPattern pattern;
  pattern.nodes = nodes;
  pattern.row_starts.push_back(0);
  for (std::size_t i = 0; i < nodes; ++i) {
    for (std::size_t j = 0; j < nodes; ++j) {
      if (j != i) pattern.columns.push_back(static_cast<std::uint32_t>(j));
    }
    pattern.row_starts.push_back(pattern.columns.size());
  }
  pattern.graph_starts = {0, nodes};
  return pattern;
}

/// Lends an evaluation to one call: a model is shared by threads, an evaluation is not.
template <class Use>
auto Model::with_evaluation(Use use) const {
  std::unique_ptr<Evaluation<double>> lent;
  {
    const std::lock_guard lock(idle_lock_);
    if (!idle_.empty()) {
      lent = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!lent) lent = evaluation();
  const auto result = use(*lent);
  const std::lock_guard lock(idle_lock_);
  idle_.push_back(std::move(lent));
  return result;
}

namespace {
Problems<double> problem_of(Parameters parameters, const Batch& batch) {
  Problems<double> problem;
  problem.rows = batch.size;
  problem.parameters = parameters;
  problem.inputs = batch.inputs;
  problem.targets = batch.targets;
  return problem;
}
}  // namespace

double Model::gradient(Parameters parameters, const Batch& batch, std::span<double> out) const {
  return with_evaluation([&](Evaluation<double>& evaluation) {
    double loss = 0;
    evaluation.gradients(problem_of(parameters, batch), {&loss, 1}, out);
    return loss;
  });
}

void Model::pullback(Parameters parameters, const Batch& batch, std::span<const double> r,
                     BatchGradient out) const {
  with_evaluation([&](Evaluation<double>& evaluation) {
    double loss = 0;
    std::vector<double> gradient(parameters.size());
    evaluation.gradients(problem_of(parameters, batch), {&loss, 1}, gradient);
    evaluation.pullbacks(r, {out.inputs, out.targets, {}});
    return loss;
  });
}

void Model::predict(Parameters parameters, std::size_t size, std::span<const double> inputs,
                    std::span<double> out) const {
  with_evaluation([&](Evaluation<double>& evaluation) {
    evaluation.outputs(problem_of(parameters, {size, inputs, {}}), out);
    return true;
  });
  to_predictions(loss(), output_size(), out);
}

void to_predictions(LossKind loss, std::size_t output_size, std::span<double> outputs) {
  if (loss == LossKind::kMeanSquared) return;
  if (loss == LossKind::kBinaryCrossEntropy) {
    for (double& z : outputs) z = 1 / (1 + std::exp(-z));
    return;
  }
  for (std::size_t start = 0; start < outputs.size(); start += output_size) {
    const auto row = outputs.subspan(start, output_size);
    const double top = *std::ranges::max_element(row);
    double sum = 0;
    for (double& z : row) sum += z = std::exp(z - top);
    for (double& p : row) p /= sum;
  }
}

Json describe(const Architecture& architecture) {
  const auto shape = [](const Shape& s) { return Json{s.channels, s.height, s.width}; };
  Json layers = Json::array();
  for (const PlacedLayer& place : place(architecture)) {
    layers.push_back({{"name", place.name},
                      {"in", shape(place.in)},
                      {"out", shape(place.out)},
                      {"parameters", place.parameter_count}});
  }
  return {{"name", architecture.name},
          {"input", shape(architecture.input)},
          {"output", shape(output_shape(architecture))},
          {"parameters", parameter_count(architecture)},
          {"buffers", buffer_count(architecture)},
          {"layers", std::move(layers)},
          {"architecture", to_json(architecture)}};
}

}  // namespace earshot
