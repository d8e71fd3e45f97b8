// The seam's evaluation by automatic differentiation: gradients are graphs, pullbacks differentiate them
// again, or, where an operator has no second derivative, take the difference of two input gradients.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <torch/torch.h>

#include "earshot/model/model.hpp"
#include "earshot/model/torch/network.hpp"

namespace earshot {

/// Which tensors autograd follows.
enum class Follow { kNothing, kParameters, kEverything };

/// Problem `index` as tensors.
template <class Real>
TorchProblem to_problem(const TorchNetwork& network, const Problems<Real>& problems, std::size_t index,
                        Follow follow);
template <class Real>
torch::Tensor to_targets(const TorchNetwork& network, const Problems<Real>& problems, std::size_t index);

/// Rows with a weight, and that weight.
struct WeightedRows {
  torch::Tensor rows;     // indices
  torch::Tensor weights;  // same length
  double total = 0;
};
template <class Real>
WeightedRows weighted_rows(std::span<const Real> weights, std::size_t target_rows);

std::size_t target_rows(const TorchNetwork& network, std::size_t rows, const GraphPattern* graph);

template <class Real>
class TorchEvaluation : public Evaluation<Real> {
 public:
  explicit TorchEvaluation(std::shared_ptr<const TorchNetwork> network) : network_(std::move(network)) {}

  void gradients(const Problems<Real>& problems, std::span<Real> losses, std::span<Real> out) override;
  void pullbacks(std::span<const Real> directions, ProblemGradient<Real> out) override;
  ClippingReport clipped_sums(const Problems<Real>& problems, double bound, std::span<Real> norms,
                              std::span<Real> out) override;
  void outputs(const Problems<Real>& problems, std::span<Real> out) override;

 private:
  /// One problem's gradient and what it was computed from.
  struct Kept {
    torch::Tensor loss;
    std::vector<torch::Tensor> gradients;
    torch::Tensor inputs;
    torch::Tensor targets;
    torch::Tensor adjacency;
  };
  /// The problem's loss as a tensor.
  torch::Tensor loss_of(const Problems<Real>& problems, const TorchProblem& problem,
                        const torch::Tensor& targets) const;
  Kept differentiate(const Problems<Real>& problems, std::size_t index, bool twice) const;
  void differentiate_again(std::size_t index, std::span<const Real> direction,
                           ProblemGradient<Real> out) const;
  /// Gradients of the loss by inputs, targets and adjacency, as far as `wanted`, at other parameters.
  std::vector<torch::Tensor> source_gradients(std::size_t index, std::span<const Real> parameters,
                                              const ProblemGradient<Real>& wanted) const;
  /// (grad_x L(theta + t r) - grad_x L(theta - t r)) / 2t, which is d<r, grad_theta L>/dx up to t^2 and
  /// rounding.
  void difference(std::size_t index, std::span<const Real> direction, ProblemGradient<Real> out) const;
  /// Problem `index`'s part of what pullbacks write.
  ProblemGradient<Real> part_of_pullback(const ProblemGradient<Real>& out, std::size_t index) const;
  void pull_by_second_derivatives(std::span<const Real> directions, const ProblemGradient<Real>& out);
  void pull_by_differences(std::span<const Real> directions, const ProblemGradient<Real>& out) const;

  std::shared_ptr<const TorchNetwork> network_;
  // Keeping graphs costs memory and time that training need not pay: they are kept once a pullback was asked
  // for.
  bool keeps_graphs_ = false;
  Problems<Real> last_;
  std::vector<Kept> kept_;
};

}  // namespace earshot
