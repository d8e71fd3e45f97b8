// What an engine may offer to attacks beside gradients and pullbacks: the squared distance of all problems'
// gradients from one observed vector, and its derivative, without keeping a gradient for every problem.
#pragma once

#include <cstddef>
#include <span>

#include "earshot/model/model.hpp"

namespace earshot {

/// Found by a dynamic_cast of an evaluation.
template <class Real>
class SquaredMatcher {
 public:
  virtual ~SquaredMatcher() = default;
  /// |gradient_k - observed|^2 of every problem k (count numbers) and its derivatives by what `out` names: as
  /// `gradients`, 2 (gradient_k - observed) for directions, and `pullbacks` would give them, up to rounding.
  /// The problems are shared out among threads.
  virtual void match(const Problems<Real>& problems, std::span<const Real> observed,
                     std::span<double> distances, ProblemGradient<Real> out) = 0;
};

}  // namespace earshot
