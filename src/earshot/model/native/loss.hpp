// Losses of output rows, with their adjoints and the tangents of those.
#pragma once

#include <cstddef>
#include <vector>

#include "earshot/model/architecture.hpp"

namespace earshot {

/// `count` problems of `rows` output rows z with targets q; row i of each problem counts scales[i] times, and
/// with scale 0 not at all, whatever its numbers are.
template <class Real>
class Loss {
 public:
  Loss(LossKind kind, std::size_t outputs) : kind_(kind), outputs_(outputs) {}

  /// losses[k] (`losses` may be null) and d/dz of them.
  void forward(std::size_t count, std::size_t rows, const Real* z, const Real* q, const Real* scales,
               Real* losses, Real* adjoint);
  /// d'(z) from z', after forward; and, unless null, d<d(z), z'>/dq.
  void tangent(std::size_t count, std::size_t rows, const Real* q, const Real* scales, const Real* z_tangent,
               Real* adjoint_tangent, Real* target_pullback) const;

 private:
  double row_loss(const Real* z, const Real* q, Real scale, Real* probabilities, Real* adjoint) const;
  void row_tangent(const Real* q, Real scale, const Real* probabilities, const Real* z_tangent,
                   Real* adjoint_tangent, Real* target_pullback) const;

  LossKind kind_;
  std::size_t outputs_;
  std::vector<Real> probabilities_;  // softmax or sigmoid of z
};

}  // namespace earshot
