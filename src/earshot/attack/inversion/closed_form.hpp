// The cheapest exact way from a gradient back to its records, verified; tried before any optimisation.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "earshot/model/model.hpp"

namespace earshot {

struct ExactReconstruction {
  std::vector<double> inputs;   // batch x input size
  std::vector<double> targets;  // batch x outputs; empty when the observation does not tell them
  std::optional<std::vector<std::size_t>> labels;  // when the targets are classes
  std::string route;    // how: "first dense layer", "layer peeling from 2.dense", ...
  double residual = 0;  // |recomputed - observed| / |observed|
  /// Other inputs of one record that give this very gradient (gradient clones); the truth may be among them.
  std::vector<std::vector<double>> clones;
};

struct ClosedFormOptions {
  double tolerance = 1e-6;  // the largest residual that counts as exact
};

/// Routes, cheapest first. One record: the ratio at the first layer if that is dense with a bias; otherwise,
/// in a chain of dense layers, the ratio at the first layer that has a bias, or the weights of the last layer
/// if none has, and peeling from there. Several records: ReLU units of the first layer that see one record
/// alone. What a route finds counts only if the model, asked again, gives the observed gradient. None when no
/// route does, and when the gradient is zero or not finite. `model` computes `architecture` at `parameters`.
std::optional<ExactReconstruction> closed_form(const Architecture& architecture, const Model& model,
                                               Parameters parameters, std::span<const double> gradient,
                                               std::size_t batch, const ClosedFormOptions& options = {});

/// The same from gradient(first) - gradient(second), as primal-dual protocols leak it (Yu 2026). One record:
/// the input by the ratio at the first layer, where label terms have the same factor; then the class of least
/// residual, or for sigmoid and squared-error outputs the least-squares targets. Several records: units of
/// the first layer that see one record alone at both points, two units or more for every record; then the
/// least-squares targets. In a network of one layer the label cancels: targets are then empty.
std::optional<ExactReconstruction> closed_form_difference(
    const Architecture& architecture, const Model& model, Parameters first, Parameters second,
    std::span<const double> difference, std::size_t batch = 1, const ClosedFormOptions& options = {});

}  // namespace earshot
