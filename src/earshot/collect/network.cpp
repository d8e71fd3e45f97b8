#include "earshot/collect/network.hpp"

#include <cmath>

#include "earshot/collect/blas.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

void activate(DenseActivation activation, MatrixXd& values) {
  switch (activation) {
    case DenseActivation::kLinear:
      return;
    case DenseActivation::kSigmoid:
      values.array() = (1 + (-values.array()).exp()).inverse();
      return;
    case DenseActivation::kRelu:
      values = values.cwiseMax(0.0);
      return;
  }
}

/// delta *= derivative, which all three activations have as a function of their output.
void multiply_derivative(DenseActivation activation, const MatrixXd& values, MatrixXd& delta) {
  switch (activation) {
    case DenseActivation::kLinear:
      return;
    case DenseActivation::kSigmoid:
      delta.array() *= values.array() * (1 - values.array());
      return;
    case DenseActivation::kRelu:
      delta.array() *= (values.array() > 0).cast<double>();
      return;
  }
}

}  // namespace

DenseNet::DenseNet(std::vector<std::size_t> widths, DenseActivation hidden, DenseActivation output)
    : widths_(std::move(widths)), hidden_(hidden), output_(output) {
  if (widths_.size() < 2) fail(Fault::kInternal, "a network needs inputs and outputs");
  Index size = 0;
  for (std::size_t layer = 0; layer < layer_count(); ++layer) {
    if (widths_[layer] == 0 || widths_[layer + 1] == 0)
      fail(Fault::kConfig, "every layer of a network needs at least one unit");
    offsets_.push_back(size);
    size += width(layer + 1) * (width(layer) + 1);
  }
  parameters_ = VectorXd::Zero(size);
}

DenseNet::DenseNet(const MatrixXd& weights, const VectorXd& bias)
    : DenseNet({static_cast<std::size_t>(weights.cols()), static_cast<std::size_t>(weights.rows())},
               DenseActivation::kLinear, DenseActivation::kLinear) {
  parameters_ << weights.reshaped(), bias;
}

void DenseNet::initialise(Stream& stream) {
  for (std::size_t layer = 0; layer < layer_count(); ++layer) {
    const double bound = 1 / std::sqrt(static_cast<double>(widths_[layer]));
    const Index count = width(layer + 1) * (width(layer) + 1);
    for (double& p : parameters_.segment(offsets_[layer], count)) p = bound * (2 * stream.uniform() - 1);
  }
}

Eigen::Map<const MatrixXd> DenseNet::weights(std::size_t layer) const {
  return {parameters_.data() + offsets_[layer], width(layer + 1), width(layer)};
}

Eigen::Map<const VectorXd> DenseNet::bias(std::size_t layer) const {
  return {parameters_.data() + offsets_[layer] + width(layer) * width(layer + 1), width(layer + 1)};
}

MatrixXd DenseNet::operator()(const MatrixXd& input) const {
  return Pass(*this, input.cols()).forward(*this, input);
}

Pass::Pass(const DenseNet& net, Index samples) : ones_(VectorXd::Ones(samples)) {
  for (std::size_t layer = 0; layer < net.layer_count(); ++layer) {
    values_.emplace_back(net.width(layer + 1), samples);
    deltas_.emplace_back(net.width(layer + 1), samples);
  }
}

const MatrixXd& Pass::forward(const DenseNet& net, const MatrixXd& input) {
  const MatrixXd* from = &input;
  for (std::size_t layer = 0; layer < net.layer_count(); ++layer) {
    values_[layer].colwise() = net.bias(layer);
    multiply_into(net.weights(layer), Transposed::kNo, *from, Transposed::kNo, 1, values_[layer]);
    activate(net.activation(layer), values_[layer]);
    from = &values_[layer];
  }
  return *from;
}

void Pass::backward(const DenseNet& net, const MatrixXd& input, const MatrixXd& output_gradient,
                    VectorXd* parameter_gradient, MatrixXd* input_gradient) {
  deltas_.back() = output_gradient;
  for (std::size_t layer = net.layer_count(); layer-- > 0;) {
    MatrixXd& delta = deltas_[layer];
    multiply_derivative(net.activation(layer), values_[layer], delta);
    if (parameter_gradient != nullptr) {
      const MatrixXd& from = layer == 0 ? input : values_[layer - 1];
      double* start = parameter_gradient->data() + net.offset(layer);
      Eigen::Map<MatrixXd> weights(start, delta.rows(), from.rows());
      Eigen::Map<MatrixXd> bias(start + weights.size(), delta.rows(), 1);
      multiply_into(delta, Transposed::kNo, from, Transposed::kYes, 0, weights);
      multiply_into(delta, Transposed::kNo, ones_, Transposed::kNo, 0, bias);
    }
    MatrixXd* back = layer == 0 ? input_gradient : &deltas_[layer - 1];
    if (back != nullptr)
      multiply_into(net.weights(layer), Transposed::kYes, delta, Transposed::kNo, 0, *back);
  }
}

double loss_and_gradient(Loss loss, const MatrixXd& outputs, const MatrixXd& targets, MatrixXd& gradient) {
  if (loss == Loss::kMeanSquared) {
    gradient = outputs - targets;
    const double value = gradient.squaredNorm() / static_cast<double>(outputs.size());
    gradient *= 2 / static_cast<double>(outputs.size());
    return value;
  }
  const double samples = static_cast<double>(outputs.cols());
  double sum = 0;
  for (Index i = 0; i < outputs.cols(); ++i) {
    const double top = outputs.col(i).maxCoeff();
    gradient.col(i) = (outputs.col(i).array() - top).exp();
    const double total = gradient.col(i).sum();
    sum += (std::log(total) + top) * targets.col(i).sum() - outputs.col(i).dot(targets.col(i));
    gradient.col(i) = (gradient.col(i) * (targets.col(i).sum() / total) - targets.col(i)) / samples;
  }
  return sum / samples;
}

double constant_loss(Loss loss, const MatrixXd& targets) {
  const VectorXd mean = targets.rowwise().mean();
  if (loss == Loss::kMeanSquared)
    return (targets.colwise() - mean).squaredNorm() / static_cast<double>(targets.size());
  double entropy = 0;
  for (const double p : mean) entropy -= p > 0 ? p * std::log(p) : 0;
  return entropy;
}

double accuracy(const MatrixXd& outputs, const MatrixXd& targets) {
  Index correct = 0;
  for (Index i = 0; i < outputs.cols(); ++i) {
    Index said = 0;
    Index meant = 0;
    outputs.col(i).maxCoeff(&said);
    targets.col(i).maxCoeff(&meant);
    correct += said == meant ? 1 : 0;
  }
  return static_cast<double>(correct) / static_cast<double>(outputs.cols());
}

}  // namespace earshot
