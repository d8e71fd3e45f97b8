// Targets of records whose inputs are known, from the gradient of the last dense layer.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "earshot/model/model.hpp"

namespace earshot {

struct RecoveredTargets {
  std::vector<double> targets;  // batch x outputs
  /// When every target is a class (softmax: one-hot; one sigmoid output: 0 or 1), which.
  std::optional<std::vector<std::size_t>> labels;
};

/// The last layer's gradient is sum_s d_s [a_s, 1]^T over the records, linear in d_s, and d_s = prediction -
/// target up to the loss's factor: with the features a_s independent the targets follow by least squares,
/// soft ones included. A softmax target is taken to sum to 1. Features come from the model itself, as the
/// difference of a record's gradients for two targets. Targets are snapped.
/// None when the network does not end in a dense layer or the features are dependent.
std::optional<RecoveredTargets> recover_targets(const Architecture& architecture, const Model& model,
                                                Parameters parameters, std::span<const double> gradient,
                                                std::span<const double> inputs, std::size_t batch);

/// Sets values within 1e-6 of 0 and 1 to them.
void snap_targets(std::span<double> targets);

/// Labels of rows of targets that are classes; none if a row is not.
std::optional<std::vector<std::size_t>> hard_labels(LossKind loss, std::span<const double> targets,
                                                    std::size_t outputs);

}  // namespace earshot
