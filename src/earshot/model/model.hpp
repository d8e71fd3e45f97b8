// The seam between learning and attacking: a model is a gradient and a pullback over one flat parameter
// vector.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "earshot/core/random.hpp"
#include "earshot/core/schema.hpp"

namespace earshot {

/// Parameters, gradients and messages are doubles: an auditor's instrument must not lose digits an adversary
/// could use (reconstruction over a line of 30 nodes amplifies rounding by 1e11).
using Parameters = std::span<const double>;

/// `size` records: inputs are size x input_size, targets size x class_count (a hard label is a one-hot row;
/// soft labels are allowed because attacks optimise them).
struct Batch {
  std::size_t size = 0;
  std::span<const double> inputs;
  std::span<const double> targets;
};

/// Where a pullback writes: same shapes as the batch.
struct BatchGradient {
  std::span<double> inputs;
  std::span<double> targets;
};

class Model {
 public:
  virtual ~Model() = default;
  virtual std::size_t parameter_count() const = 0;
  virtual std::size_t input_size() const = 0;
  virtual std::size_t class_count() const = 0;

  /// Writes the gradient of the mean loss over the batch w.r.t. the parameters; returns the loss.
  virtual double gradient(Parameters parameters, const Batch& batch, std::span<double> out) const = 0;
  /// Writes d<r, gradient(parameters, batch)> / d(inputs, targets): what every gradient-matching attack
  /// descends.
  virtual void pullback(Parameters parameters, const Batch& batch, std::span<const double> r,
                        BatchGradient out) const = 0;
  /// Class probabilities, size x class_count.
  virtual void predict(Parameters parameters, std::size_t size, std::span<const double> inputs,
                       std::span<double> out) const = 0;
  virtual void initialise(Stream& stream, std::span<double> parameters) const = 0;
};

/// `model` components by name; `make` is told the size of the data.
struct ModelComponent {
  Schema schema;
  std::unique_ptr<Model> (*make)(const Settings&, std::size_t input_size, std::size_t class_count);
};
std::span<const ModelComponent> model_components();

}  // namespace earshot
