// Staircase noise: the epsilon-DP noise of least expected size for one number.
#pragma once

#include "earshot/mechanism/mechanism.hpp"

namespace earshot {

/// What the width of the stairs is chosen to make small.
enum class StaircaseCost { kMagnitude, kVariance };

/// gamma of least expected |noise|, 1 / (1 + e^(epsilon/2)), or of least variance (Geng & Viswanath 2014,
/// "The optimal mechanism in differential privacy").
double staircase_gamma(double epsilon, StaircaseCost cost);

/// One number + noise whose density is a(gamma) e^(-k epsilon) on [k, k + gamma) sensitivities and
/// a(gamma) e^(-(k+1) epsilon) on [k + gamma, k + 1), and the same on the other side of 0. Protection draws
/// the discrete staircase on a grid.
class StaircaseMechanism : public VectorMechanism {
 public:
  StaircaseMechanism(MechanismTerms terms, double epsilon, StaircaseCost cost = StaircaseCost::kMagnitude);

  std::string name() const override { return "staircase"; }
  MechanismTerms terms() const override { return terms_; }
  ReleasePointer release() const override { return release_; }
  double gamma() const { return gamma_; }
  /// `value` is one number.
  ReleasePointer simulate(std::span<double> value, Stream& stream) const override;
  ReleasePointer protect(std::span<double> value, SecureRandom& random) const override;
  ReleasePointer protected_release(std::size_t dimension) const override;
  double noise_deviation(std::size_t dimension) const override;
  PrivacyStatement statement(std::size_t releases) const override;

 private:
  MechanismTerms terms_;
  double epsilon_;
  double gamma_;
  ReleasePointer release_;
};

}  // namespace earshot
