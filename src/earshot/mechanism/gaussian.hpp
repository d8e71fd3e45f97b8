// Gaussian noise scaled to the L2 sensitivity.
#pragma once

#include "earshot/mechanism/mechanism.hpp"

namespace earshot {

/// value + N(0, sigma^2 I), after clipping if the terms say so. Protection draws the discrete Gaussian of
/// Canonne, Kamath & Steinke (2020) on a grid, with at least the same ratio of noise to sensitivity.
class GaussianMechanism : public VectorMechanism {
 public:
  /// `delta` is the one at which statements are made.
  GaussianMechanism(MechanismTerms terms, double sigma, double delta);

  /// The smallest sigma for which `releases` releases together are (epsilon, delta)-DP (Balle & Wang 2018).
  static GaussianMechanism analytic(const MechanismTerms& terms, double epsilon, double delta,
                                    std::size_t releases = 1);
  /// sigma = sensitivity sqrt(2 ln(1.25 / delta)) / epsilon (Dwork & Roth 2014, Theorem A.1), for one release
  /// and proved for epsilon <= 1 only; `as_published` uses it beyond, as many papers do, where the guarantee
  /// is not the label.
  static GaussianMechanism classical(const MechanismTerms& terms, double epsilon, double delta,
                                     bool as_published = false);

  std::string name() const override { return "gaussian"; }
  MechanismTerms terms() const override { return terms_; }
  ReleasePointer release() const override { return release_; }
  ReleasePointer simulate(std::span<double> value, Stream& stream) const override;
  ReleasePointer protect(std::span<double> value, SecureRandom& random) const override;
  ReleasePointer protected_release(std::size_t dimension) const override;
  double noise_deviation(std::size_t) const override { return sigma_; }
  PrivacyStatement statement(std::size_t releases) const override;

 private:
  double multiplier() const { return sigma_ / terms_.sensitivity; }

  MechanismTerms terms_;
  double sigma_;
  double delta_;
  ReleasePointer release_;
};

}  // namespace earshot
