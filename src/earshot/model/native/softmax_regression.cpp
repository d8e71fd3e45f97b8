#include "earshot/model/native/softmax_regression.hpp"

#include <Eigen/Core>
#include <cmath>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstMatrix = Eigen::Map<const RowMatrix>;
using ConstVector = Eigen::Map<const Eigen::VectorXd>;
using MutableMatrix = Eigen::Map<RowMatrix>;
using MutableVector = Eigen::Map<Eigen::VectorXd>;

auto index(std::size_t value) {
  return static_cast<Eigen::Index>(value);
}

/// The two halves of the flat vector: weights M and biases b.
struct View {
  ConstMatrix weights;
  ConstVector biases;
  View(std::span<const double> flat, std::size_t classes, std::size_t inputs)
      : weights(flat.data(), index(classes), index(inputs)),
        biases(flat.data() + classes * inputs, index(classes)) {}
};

/// Softmax of one record's logits, in place; returns log(sum exp(z)).
template <class Vector>
double softmax_in_place(Vector&& logits) {
  const double top = logits.maxCoeff();
  logits = (logits.array() - top).exp().matrix();
  const double sum = logits.sum();
  logits /= sum;
  return top + std::log(sum);
}

}  // namespace

SoftmaxRegression::SoftmaxRegression(std::size_t input_size, std::size_t class_count)
    : input_size_(input_size), class_count_(class_count) {
  if (input_size == 0 || class_count < 2) {
    fail(Fault::kConfig, "softmax regression needs at least one input and two classes");
  }
}

void SoftmaxRegression::predict(Parameters parameters, std::size_t size, std::span<const double> inputs,
                                std::span<double> out) const {
  const View theta(parameters, class_count_, input_size_);
  const ConstMatrix x(inputs.data(), index(size), index(input_size_));
  MutableMatrix probabilities(out.data(), index(size), index(class_count_));
  probabilities.noalias() = x * theta.weights.transpose();
  probabilities.rowwise() += theta.biases.transpose();
  for (Eigen::Index i = 0; i < probabilities.rows(); ++i) softmax_in_place(probabilities.row(i));
}

double SoftmaxRegression::gradient(Parameters parameters, const Batch& batch, std::span<double> out) const {
  const View theta(parameters, class_count_, input_size_);
  const ConstMatrix x(batch.inputs.data(), index(batch.size), index(input_size_));
  const ConstMatrix q(batch.targets.data(), index(batch.size), index(class_count_));
  MutableMatrix weights(out.data(), index(class_count_), index(input_size_));
  MutableVector biases(out.data() + class_count_ * input_size_, index(class_count_));
  weights.setZero();
  biases.setZero();
  double loss = 0;
  Eigen::VectorXd delta(index(class_count_));
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    delta.noalias() = theta.weights * x.row(i).transpose();
    delta += theta.biases;
    const double mass = q.row(i).sum();
    const double fit = q.row(i).dot(delta);
    loss += mass * softmax_in_place(delta) - fit;
    delta = mass * delta - q.row(i).transpose();  // dL/dz = (sum q) p - q
    weights.noalias() += delta * x.row(i);
    biases += delta;
  }
  const double scale = batch.size == 0 ? 0.0 : 1.0 / static_cast<double>(batch.size);
  weights *= scale;
  biases *= scale;
  return loss * scale;
}

// With u = R x + rho (R, rho the two halves of r) and delta = s p - q, s = sum q, the pulled-back function of
// one record is sum_k delta_k u_k. Its derivatives: d/dx = R^T delta + M^T [s p o (u - <p, u>)], d/dq = <p,
// u> - u.
void SoftmaxRegression::pullback(Parameters parameters, const Batch& batch, std::span<const double> r,
                                 BatchGradient out) const {
  const View theta(parameters, class_count_, input_size_);
  const View direction(r, class_count_, input_size_);
  const ConstMatrix x(batch.inputs.data(), index(batch.size), index(input_size_));
  const ConstMatrix q(batch.targets.data(), index(batch.size), index(class_count_));
  MutableMatrix dx(out.inputs.data(), index(batch.size), index(input_size_));
  MutableMatrix dq(out.targets.data(), index(batch.size), index(class_count_));
  const double scale = batch.size == 0 ? 0.0 : 1.0 / static_cast<double>(batch.size);
  Eigen::VectorXd p(index(class_count_));
  Eigen::VectorXd u(index(class_count_));
  Eigen::VectorXd delta(index(class_count_));
  Eigen::VectorXd through_logits(index(class_count_));
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    p.noalias() = theta.weights * x.row(i).transpose();
    p += theta.biases;
    softmax_in_place(p);
    u.noalias() = direction.weights * x.row(i).transpose();
    u += direction.biases;
    const double mass = q.row(i).sum();
    const double mean_u = p.dot(u);
    delta = scale * (mass * p - q.row(i).transpose());
    through_logits = (scale * mass * p.array() * (u.array() - mean_u)).matrix();
    dx.row(i).noalias() = delta.transpose() * direction.weights;
    dx.row(i).noalias() += through_logits.transpose() * theta.weights;
    dq.row(i) = scale * (mean_u - u.array()).matrix().transpose();
  }
}

void SoftmaxRegression::initialise(Stream& stream, std::span<double> parameters) const {
  const double bound = 1.0 / std::sqrt(static_cast<double>(input_size_));
  for (double& value : parameters) value = bound * (2.0 * stream.uniform() - 1.0);
}

namespace {
std::unique_ptr<Model> make_softmax(const Settings&, std::size_t input_size, std::size_t class_count) {
  return std::make_unique<SoftmaxRegression>(input_size, class_count);
}
}  // namespace

std::span<const ModelComponent> model_components() {
  static const std::vector<ModelComponent> components = {
      {{"model",
        "softmax_regression",
        "z = M x + b, softmax, cross-entropy; gradients invert in closed form",
        "Bishop 2006, Pattern Recognition and Machine Learning, section 4.3.4",
        {}},
       make_softmax}};
  return components;
}

}  // namespace earshot
