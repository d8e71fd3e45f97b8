// Networks and batch sizes that both engines are timed on.
#pragma once

#include <cstddef>
#include <vector>

#include "earshot/core/random.hpp"
#include "earshot/model/model.hpp"

namespace earshot {

inline Architecture perceptron(const std::vector<std::size_t>& widths, ActivationKind kind) {
  Architecture a;
  a.name = "mlp";
  a.input = Shape{widths.front()};
  for (std::size_t i = 1; i < widths.size(); ++i) {
    a.layers.push_back(Dense{widths[i]});
    if (i + 1 < widths.size()) a.layers.push_back(Activate{kind});
  }
  return a;
}

/// The perceptron of the target: gradient inversion on a table of 105 encoded attributes.
inline Architecture small_perceptron() {
  return perceptron({105, 100, 100, 2}, ActivationKind::kSigmoid);
}
/// Bound by matrix products at 128 records.
inline Architecture large_perceptron() {
  return perceptron({784, 1000, 1000, 10}, ActivationKind::kRelu);
}

/// Random numbers for `count` problems with shared parameters, and room for the results.
template <class Real>
struct ModelWork {
  std::vector<Real> parameters, inputs, targets, losses, gradients, input_pullback, target_pullback;
  Problems<Real> problems;

  ModelWork(const Architecture& architecture, std::size_t count, std::size_t rows)
      : parameters(parameter_count(architecture)),
        inputs(count * rows * architecture.input.size()),
        targets(count * rows * output_shape(architecture).size()),
        losses(count),
        gradients(count * parameters.size()),
        input_pullback(inputs.size()),
        target_pullback(targets.size()) {
    Stream stream({1, Purpose::kTest});
    std::vector<double> start(parameters.size());
    initialise(architecture, stream, start);
    for (std::size_t i = 0; i < start.size(); ++i) parameters[i] = static_cast<Real>(start[i]);
    for (Real& x : inputs) x = static_cast<Real>(stream.normal());
    for (Real& q : targets) q = static_cast<Real>(stream.uniform());
    problems.count = count;
    problems.rows = rows;
    problems.parameters = parameters;
    problems.inputs = inputs;
    problems.targets = targets;
  }

  /// What a step of gradient inversion costs: the gradients and their pullback in a direction (here the
  /// gradients themselves: a network just as large).
  void step(Evaluation<Real>& evaluation) {
    evaluation.gradients(problems, losses, gradients);
    evaluation.pullbacks(gradients, {input_pullback, target_pullback, {}});
  }
};

/// Floating-point operations of one step on one problem of a perceptron: five products per layer (forward,
/// parameter gradient, R h, R^T d, W^T d') and two more for all but the first (W^T d, W h').
inline double step_flops(const Architecture& architecture, std::size_t rows) {
  double flops = 0;
  for (const PlacedLayer& place : place(architecture)) {
    const double product =
        2.0 * static_cast<double>(rows * place.in.size() * place.out.size()) * (place.parameter_count > 0);
    flops += product * (place.parameter_offset == 0 ? 5 : 7);
  }
  return flops;
}

}  // namespace earshot
