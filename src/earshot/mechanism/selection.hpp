// Choosing one of several candidates by their scores: the exponential mechanism and report-noisy-max.
#pragma once

#include "earshot/mechanism/mechanism.hpp"

namespace earshot {

/// Candidate i with probability proportional to exp(epsilon score_i / (2 sensitivity)) (McSherry & Talwar
/// 2007). Simulation adds Gumbel noise and takes the largest; protection rounds the scores to a grid, which
/// raises their sensitivity by one step, and draws by exact rejection with Bernoulli(exp(-gamma)).
class ExponentialMechanism : public SelectionMechanism {
 public:
  /// `sensitivity`: how far any one score can move between neighbours.
  ExponentialMechanism(double epsilon, double sensitivity, std::string unit, std::string adjacency);

  std::string name() const override { return "exponential"; }
  MechanismTerms terms() const override { return terms_; }
  ReleasePointer release() const override { return release_; }
  Released<std::size_t> simulate(std::span<const double> scores, Stream& stream) const override;
  Released<std::size_t> protect(std::span<const double> scores, SecureRandom& random) const override;

 private:
  MechanismTerms terms_;
  double epsilon_;
  ReleasePointer release_;
};

enum class NoisyMaxNoise { kExponential, kLaplace };

/// The candidate whose score is largest after adding independent noise of scale 2 sensitivity / epsilon
/// (Dwork & Roth 2014, section 3.3; with exponential noise it is permute-and-flip, never worse than the
/// exponential mechanism, and drawn as such for protection). With Laplace noise protection adds discrete
/// Laplace noise to scores on a grid.
class NoisyMax : public SelectionMechanism {
 public:
  NoisyMax(double epsilon, double sensitivity, std::string unit, std::string adjacency,
           NoisyMaxNoise noise = NoisyMaxNoise::kExponential);

  std::string name() const override { return "noisy_max"; }
  MechanismTerms terms() const override { return terms_; }
  ReleasePointer release() const override { return release_; }
  Released<std::size_t> simulate(std::span<const double> scores, Stream& stream) const override;
  Released<std::size_t> protect(std::span<const double> scores, SecureRandom& random) const override;

 private:
  MechanismTerms terms_;
  double epsilon_;
  NoisyMaxNoise noise_;
  ReleasePointer release_;
};

/// Scores on a grid as distances from the best, and the number of steps over which a probability falls by a
/// factor e: both exact mechanisms choose by exp(-gap / scale).
struct ScoreGaps {
  std::vector<std::uint64_t> gaps;
  std::uint64_t scale = 1;
};
ScoreGaps score_gaps(std::span<const double> scores, double epsilon, double sensitivity);

}  // namespace earshot
