// Laplace noise scaled to the L1 sensitivity.
#pragma once

#include "earshot/mechanism/mechanism.hpp"

namespace earshot {

/// value + independent Laplace noise of density exp(-|x| / scale) / (2 scale) per coordinate (Dwork,
/// McSherry, Nissim & Smith 2006), after clipping if the terms say so. Protection draws the discrete Laplace
/// distribution on a grid, with at least the same ratio of noise to sensitivity.
class LaplaceMechanism : public VectorMechanism {
 public:
  LaplaceMechanism(MechanismTerms terms, double scale);
  /// scale = releases * sensitivity / epsilon: `releases` releases together are epsilon-DP.
  static LaplaceMechanism calibrated(const MechanismTerms& terms, double epsilon, std::size_t releases = 1);

  std::string name() const override { return "laplace"; }
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
  ReleasePointer release_;
};

}  // namespace earshot
