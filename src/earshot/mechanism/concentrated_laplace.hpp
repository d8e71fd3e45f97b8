// Laplace noise on what is bounded in L2: concentrated, not pure, differential privacy.
#pragma once

#include "earshot/mechanism/coordinate_laplace.hpp"

namespace earshot {

/// Neighbours lie within an L2 sensitivity. A coordinate that moves by t scales is t-DP and therefore
/// t^2/2-zCDP (Bun & Steinke 2016, Proposition 3.3); over all coordinates rho = (sensitivity / scale)^2 / 2,
/// whatever the dimension: the bound of Gaussian noise whose deviation is the scale, for twice its variance.
/// In L1, and so for pure differential privacy, the sensitivity would be sqrt(dimension) times larger.
class ConcentratedLaplace : public CoordinateLaplace {
 public:
  /// `delta` is the one at which statements are made.
  ConcentratedLaplace(MechanismTerms terms, double scale, double delta);

  std::string name() const override { return "concentrated_laplace"; }
  ReleasePointer release() const override { return release_; }
  ReleasePointer protected_release(std::size_t dimension) const override;
  PrivacyStatement statement(std::size_t releases) const override;

 private:
  double delta_;
  ReleasePointer release_;
};

}  // namespace earshot
