// Laplace noise on what is bounded in L2: concentrated, not pure, differential privacy.
#pragma once

#include "earshot/mechanism/mechanism.hpp"

namespace earshot {

/// value + independent Laplace noise per coordinate, where neighbours lie within an L2 sensitivity. A
/// coordinate that moves by t scales is t-DP and therefore t^2/2-zCDP (Bun & Steinke 2016, Proposition 3.3);
/// over all coordinates rho = (sensitivity / scale)^2 / 2, whatever the dimension: the bound of Gaussian
/// noise whose deviation is the scale, for twice its variance. In L1, and so for pure differential privacy,
/// the sensitivity would be sqrt(dimension) times larger.
class ConcentratedLaplace : public VectorMechanism {
 public:
  /// `delta` is the one at which statements are made.
  ConcentratedLaplace(MechanismTerms terms, double scale, double delta);

  std::string name() const override { return "concentrated_laplace"; }
  MechanismTerms terms() const override { return terms_; }
  ReleasePointer release() const override { return release_; }
  ReleasePointer simulate(std::span<double> value, Stream& stream) const override;
  ReleasePointer protect(std::span<double> value, SecureRandom& random) const override;
  ReleasePointer protected_release(std::size_t dimension) const override;
  double noise_deviation(std::size_t dimension) const override;
  PrivacyStatement statement(std::size_t releases) const override;

 private:
  double multiplier() const { return scale_ / terms_.sensitivity; }

  MechanismTerms terms_;
  double scale_;
  double delta_;
  ReleasePointer release_;
};

}  // namespace earshot
