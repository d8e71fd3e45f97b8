// What an engine may offer to attacks beside gradients and pullbacks: the angle between all problems'
// gradients and one observed vector, and its derivative, without keeping a gradient for every problem.
#pragma once

#include <cstddef>
#include <span>

#include "earshot/model/model.hpp"

namespace earshot {

/// Found by a dynamic_cast of an evaluation.
template <class Real>
class CosineMatcher {
 public:
  virtual ~CosineMatcher() = default;
  /// 1 - cos of the angle between gradient_k and what was observed, for every problem k (count numbers), and
  /// its derivatives by what `out` names: as `gradients` and `pullbacks` would give them, up to rounding. A
  /// vector of length zero counts as at a right angle, and its derivative as zero. The problems are shared
  /// out among threads.
  virtual void match_cosine(const Problems<Real>& problems, std::span<const Real> observed,
                            std::span<double> distances, ProblemGradient<Real> out) = 0;
};

}  // namespace earshot
