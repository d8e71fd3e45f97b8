#include "earshot/model/torch/plain_perceptron.hpp"

#include <algorithm>

#include <torch/torch.h>

namespace earshot {
namespace {

using torch::Tensor;

/// A copy of the first numbers of `from`, which then starts behind them.
template <class Real>
Tensor take(std::span<const Real>& from, const std::vector<std::int64_t>& shape) {
  const Tensor out = torch::empty(shape, torch::CppTypeToScalarType<Real>::value);
  const auto size = static_cast<std::size_t>(out.numel());
  std::copy_n(from.begin(), size, out.data_ptr<Real>());
  from = from.subspan(size);
  return out;
}

template <class Real>
void copy(const Tensor& from, std::span<Real>& to) {
  const auto size = static_cast<std::size_t>(from.numel());
  std::copy_n(from.contiguous().data_ptr<Real>(), size, to.begin());
  to = to.subspan(size);
}

struct Problem {
  Tensor inputs, targets;
  std::vector<Tensor> direction;
};

}  // namespace

template <class Real>
struct PlainPerceptron<Real>::Tensors {
  std::vector<std::int64_t> widths;
  std::vector<Tensor> parameters;  // weight and bias of each layer
  std::vector<Problem> problems;
  std::vector<Tensor> gradient, pullback;

  std::vector<Tensor> cut(std::span<const Real> numbers) const {
    std::vector<Tensor> out;
    for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
      out.push_back(take(numbers, {widths[i + 1], widths[i]}));
      out.push_back(take(numbers, {widths[i + 1]}));
    }
    return out;
  }
  Tensor outputs(Tensor h) const {
    for (std::size_t i = 0; i < parameters.size(); i += 2) {
      if (i > 0) h = torch::relu(h);
      h = torch::linear(h, parameters[i], parameters[i + 1]);
    }
    return h;
  }
};

template <class Real>
PlainPerceptron<Real>::PlainPerceptron(const std::vector<std::size_t>& widths,
                                       std::span<const Real> parameters)
    : tensors_(std::make_unique<Tensors>()) {
  torch::set_num_threads(1);
  tensors_->widths.assign(widths.begin(), widths.end());
  tensors_->parameters = tensors_->cut(parameters);
  for (Tensor& parameter : tensors_->parameters) parameter.requires_grad_();
}

template <class Real>
PlainPerceptron<Real>::~PlainPerceptron() = default;

template <class Real>
void PlainPerceptron<Real>::add_problem(std::size_t rows, std::span<const Real> inputs,
                                        std::span<const Real> targets, std::span<const Real> direction) {
  const auto count = static_cast<std::int64_t>(rows);
  tensors_->problems.push_back({take(inputs, {count, tensors_->widths.front()}).requires_grad_(),
                                take(targets, {count, tensors_->widths.back()}).requires_grad_(),
                                tensors_->cut(direction)});
}

template <class Real>
void PlainPerceptron<Real>::step(std::size_t index) {
  const Problem& problem = tensors_->problems[index];
  const Tensor outputs = tensors_->outputs(problem.inputs);
  const Tensor loss = -(problem.targets * torch::log_softmax(outputs, 1)).sum(1).mean();
  tensors_->gradient = torch::autograd::grad({loss}, tensors_->parameters, {}, /*retain_graph=*/true,
                                             /*create_graph=*/true);
  tensors_->pullback =
      torch::autograd::grad(tensors_->gradient, {problem.inputs, problem.targets}, problem.direction);
}

template <class Real>
void PlainPerceptron<Real>::read(std::span<Real> gradient, std::span<Real> to_inputs,
                                 std::span<Real> to_targets) const {
  for (const Tensor& part : tensors_->gradient) copy(part, gradient);
  copy(tensors_->pullback[0], to_inputs);
  copy(tensors_->pullback[1], to_targets);
}

template class PlainPerceptron<float>;
template class PlainPerceptron<double>;

}  // namespace earshot
