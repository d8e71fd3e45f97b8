// A clipping norm that follows a quantile of the norms it clips, privately.
#pragma once

#include <span>

#include "earshot/mechanism/mechanism.hpp"

namespace earshot {

/// Andrew, Thakkar, McMahan & Ramaswamy (2021), "Differentially private learning with adaptive clipping":
/// each round the number of contributions whose norm is within the bound C is released with noise, and C is
/// multiplied by exp(-rate (share within - target)). The count is a release of its own and has its own
/// Gaussian event. The protected unit is one contribution, added or removed; each is counted as +1/2 or -1/2,
/// so that the sensitivity is 1/2.
class AdaptiveClip {
 public:
  struct Settings {
    double initial = 0.1;               // first bound
    double target = 0.5;                // quantile to follow
    double rate = 0.2;                  // learning rate of the logarithm of the bound
    double count_deviation = 1;         // noise on the count, sigma_b
    double expected_contributions = 1;  // a public number by which the noised count is divided
  };
  explicit AdaptiveClip(const Settings& settings);

  double bound() const { return bound_; }
  /// Updates the bound from the norms of this round's contributions before clipping.
  ReleasePointer simulate(std::span<const double> norms, Stream& stream);
  ReleasePointer protect(std::span<const double> norms, SecureRandom& random);

 private:
  /// Twice the sum of +-1/2.
  std::int64_t doubled_count(std::span<const double> norms) const;
  void follow(double noised_half_sum);

  Settings settings_;
  double bound_;
};

/// Noise multiplier for the clipped sum such that it and the count together cost as much as one release with
/// multiplier `total`: (total^-2 - (2 sigma_b)^-2)^(-1/2) (the same, Theorem 1).
double adaptive_sum_multiplier(double total, double count_deviation);

}  // namespace earshot
