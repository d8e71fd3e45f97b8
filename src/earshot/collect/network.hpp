// Small dense networks on whole batches: forward, and backward to parameters and to inputs.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "earshot/core/random.hpp"

namespace earshot {

enum class DenseActivation { kLinear, kSigmoid, kRelu };

/// Layers x -> activation(W x + b) over one flat parameter vector: weights (column-major), then bias, layer
/// by layer.
class DenseNet {
 public:
  /// widths: inputs, hidden layers, outputs.
  DenseNet(std::vector<std::size_t> widths, DenseActivation hidden, DenseActivation output);
  /// One linear layer.
  DenseNet(const Eigen::MatrixXd& weights, const Eigen::VectorXd& bias);

  /// Uniform in +-1/sqrt(inputs of the layer), weights and biases (LeCun et al. 2012).
  void initialise(Stream& stream);

  std::size_t layer_count() const { return widths_.size() - 1; }
  Eigen::Index width(std::size_t layer) const { return static_cast<Eigen::Index>(widths_[layer]); }
  Eigen::Index input_size() const { return width(0); }
  Eigen::Index output_size() const { return width(layer_count()); }
  DenseActivation activation(std::size_t layer) const {
    return layer + 1 == layer_count() ? output_ : hidden_;
  }
  Eigen::VectorXd& parameters() { return parameters_; }
  const Eigen::VectorXd& parameters() const { return parameters_; }
  Eigen::Map<const Eigen::MatrixXd> weights(std::size_t layer) const;
  Eigen::Map<const Eigen::VectorXd> bias(std::size_t layer) const;
  Eigen::Index offset(std::size_t layer) const { return offsets_[layer]; }

  /// For use outside training; a Pass does the same without allocating.
  Eigen::MatrixXd operator()(const Eigen::MatrixXd& input) const;

 private:
  std::vector<std::size_t> widths_;
  DenseActivation hidden_;
  DenseActivation output_;
  std::vector<Eigen::Index> offsets_;  // of each layer's weights
  Eigen::VectorXd parameters_;
};

/// Memory for one net on one batch size; nothing is allocated after construction.
class Pass {
 public:
  Pass(const DenseNet& net, Eigen::Index samples);

  /// One column per sample, in and out. The result lives until the next forward.
  const Eigen::MatrixXd& forward(const DenseNet& net, const Eigen::MatrixXd& input);

  /// After forward with the same net and input: gradients of a function of the outputs whose gradient is
  /// given. Either may be null.
  void backward(const DenseNet& net, const Eigen::MatrixXd& input, const Eigen::MatrixXd& output_gradient,
                Eigen::VectorXd* parameter_gradient, Eigen::MatrixXd* input_gradient);

 private:
  std::vector<Eigen::MatrixXd> values_;  // by layer, after activation
  std::vector<Eigen::MatrixXd> deltas_;  // by layer, before activation
  Eigen::VectorXd ones_;
};

enum class Loss { kMeanSquared, kCrossEntropy };

/// Mean over samples and outputs of the squared error, or mean over samples of the cross-entropy of
/// softmax(outputs) with the target distributions; its gradient goes to `gradient` (same size as outputs).
double loss_and_gradient(Loss loss, const Eigen::MatrixXd& outputs, const Eigen::MatrixXd& targets,
                         Eigen::MatrixXd& gradient);
/// The loss of the best constant output: what a net without any use reaches.
double constant_loss(Loss loss, const Eigen::MatrixXd& targets);
/// Share of samples whose largest output is their largest target.
double accuracy(const Eigen::MatrixXd& outputs, const Eigen::MatrixXd& targets);

}  // namespace earshot
