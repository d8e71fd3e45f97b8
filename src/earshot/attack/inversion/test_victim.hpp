// For tests: a network, records that no attack is told, and their gradient.
#pragma once

#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include "earshot/model/native/native_model.hpp"

namespace earshot {

/// Dense layers of these sizes (the first is the input) with an activation between them.
inline Architecture dense_network(const std::vector<std::size_t>& sizes, ActivationKind activation,
                                  bool bias = true, LossKind loss = LossKind::kSoftmaxCrossEntropy) {
  Architecture a;
  a.input = Shape{sizes[0]};
  a.loss = loss;
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    if (i > 1) a.layers.push_back(Activate{activation});
    a.layers.push_back(Dense{sizes[i], bias});
  }
  return a;
}

struct Victim {
  Architecture architecture;
  std::unique_ptr<Model> model;
  std::size_t batch;
  Stream stream;
  std::vector<double> parameters, inputs, targets, gradient;
  std::vector<std::size_t> labels;

  explicit Victim(Architecture a, std::uint64_t seed, std::size_t records = 1)
      : architecture(std::move(a)),
        model(make_native_model(architecture)),
        batch(records),
        stream({seed, Purpose::kTest, 77}) {
    parameters.resize(model->parameter_count());
    model->initialise(stream, parameters);
    inputs.resize(batch * model->input_size());
    stream.fill_normal(inputs, 1.0);
    draw_targets();
    observe();
  }

  void draw_targets() {
    const std::size_t outputs = model->output_size();
    targets.assign(batch * outputs, 0.0);
    for (std::size_t s = 0; s < batch; ++s) {
      if (architecture.loss == LossKind::kSoftmaxCrossEntropy) {
        labels.push_back(stream.below(outputs));
        targets[s * outputs + labels.back()] = 1;
        continue;
      }
      for (std::size_t k = 0; k < outputs; ++k) {
        const bool squared = architecture.loss == LossKind::kMeanSquared;
        targets[s * outputs + k] = squared ? stream.normal() : static_cast<double>(stream.below(2));
      }
    }
  }
  void observe() { gradient = gradient_at(parameters); }
  std::vector<double> gradient_at(std::span<const double> where) const {
    std::vector<double> g(parameters.size());
    model->gradient(where, {batch, inputs, targets}, g);
    return g;
  }
};

inline double relative_error(std::span<const double> found, std::span<const double> truth) {
  if (found.size() != truth.size()) return INFINITY;
  double apart = 0;
  double size = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    apart += (found[i] - truth[i]) * (found[i] - truth[i]);
    size += truth[i] * truth[i];
  }
  return std::sqrt(apart / size);
}

inline constexpr ActivationKind kAllActivations[] = {
    ActivationKind::kSigmoid, ActivationKind::kTanh, ActivationKind::kRelu,     ActivationKind::kSoftplus,
    ActivationKind::kGelu,    ActivationKind::kElu,  ActivationKind::kLeakyRelu};
inline constexpr LossKind kAllLosses[] = {LossKind::kSoftmaxCrossEntropy, LossKind::kBinaryCrossEntropy,
                                          LossKind::kMeanSquared};

/// One record of each dense network of one to four layers, with every activation and loss.
template <class Use>
void for_dense_victims(Use&& use) {
  for (const ActivationKind activation : kAllActivations) {
    for (const LossKind loss : kAllLosses) {
      for (std::size_t depth = 1; depth < 5; ++depth) {
        std::vector<std::size_t> sizes(depth, 12);
        sizes.insert(sizes.begin(), 9);
        use(Victim(dense_network(sizes, activation, true, loss), depth));
      }
    }
  }
}

}  // namespace earshot
