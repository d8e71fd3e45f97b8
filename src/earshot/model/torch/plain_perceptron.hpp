// A ReLU perceptron as one would write it on libtorch by hand, with tensors throughout and none of earshot's
// engine: what bench/torch_bench measures against. No torch header is needed to use it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace earshot {

/// Softmax cross-entropy with soft labels, mean over the rows; parameters as in `architecture.hpp`. One
/// thread.
template <class Real>
class PlainPerceptron {
 public:
  PlainPerceptron(const std::vector<std::size_t>& widths, std::span<const Real> parameters);
  ~PlainPerceptron();

  /// Makes tensors of a problem and of the direction r to pull back along.
  void add_problem(std::size_t rows, std::span<const Real> inputs, std::span<const Real> targets,
                   std::span<const Real> direction);
  /// The gradient g of problem `index` by autograd, and d<r, g>/d(inputs, targets) by double backward.
  void step(std::size_t index);
  /// Copies what the last step found.
  void read(std::span<Real> gradient, std::span<Real> to_inputs, std::span<Real> to_targets) const;

 private:
  struct Tensors;
  std::unique_ptr<Tensors> tensors_;
};

}  // namespace earshot
