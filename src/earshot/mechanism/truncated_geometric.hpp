// The truncated geometric mechanism for counts.
#pragma once

#include "earshot/mechanism/mechanism.hpp"

namespace earshot {

/// A count in {0, ..., largest} + two-sided geometric noise, clamped back into the range (Ghosh, Roughgarden
/// & Sundararajan 2009): for one count, every user's best epsilon-DP mechanism is a remapping of this one.
class TruncatedGeometric : public CategoryMechanism {
 public:
  TruncatedGeometric(std::size_t largest, double epsilon);

  std::string name() const override { return "truncated_geometric"; }
  MechanismTerms terms() const override;
  ReleasePointer release() const override { return release_; }
  std::size_t inputs() const override { return largest_ + 1; }
  std::size_t outputs() const override { return largest_ + 1; }
  double probability(std::size_t output, std::size_t input) const override;
  Released<std::size_t> simulate(std::size_t input, Stream& stream) const override;
  Released<std::size_t> protect(std::size_t input, SecureRandom& random) const override;

 private:
  std::size_t largest_;
  double epsilon_;
  ReleasePointer release_;
};

}  // namespace earshot
