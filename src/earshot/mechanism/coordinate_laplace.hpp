// Independent Laplace noise per coordinate: what Laplace mechanisms of different guarantees have in common.
#pragma once

#include "earshot/mechanism/grid.hpp"
#include "earshot/mechanism/mechanism.hpp"

namespace earshot {

/// value + independent noise of density exp(-|x| / scale) / (2 scale) per coordinate, after clipping if the
/// terms say so. Protection draws the discrete Laplace distribution on a grid, with at least the same ratio
/// of noise to sensitivity. What is promised depends on the norm in which neighbours are close.
class CoordinateLaplace : public VectorMechanism {
 public:
  MechanismTerms terms() const override { return terms_; }
  ReleasePointer simulate(std::span<double> value, Stream& stream) const override;
  ReleasePointer protect(std::span<double> value, SecureRandom& random) const override;
  double noise_deviation(std::size_t dimension) const override;

 protected:
  /// `name` is that of the mechanism, for the error when the terms have another norm.
  CoordinateLaplace(MechanismTerms terms, Norm norm, double scale, const char* name);

  double multiplier() const { return scale_ / terms_.sensitivity; }
  GridPlan plan(std::size_t dimension) const { return plan_grid(terms_, norm_, dimension); }

 private:
  MechanismTerms terms_;
  Norm norm_;
  double scale_;
};

}  // namespace earshot
