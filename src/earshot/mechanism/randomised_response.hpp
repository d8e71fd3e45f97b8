// Randomised response on categories, and frequencies estimated from what it reports.
#pragma once

#include <vector>

#include "earshot/mechanism/mechanism.hpp"

namespace earshot {

/// k-ary randomised response: the truth with probability e^epsilon / (e^epsilon + k - 1), every other
/// category with probability 1 / (e^epsilon + k - 1) (Warner 1965 for k = 2; Kairouz, Oh & Viswanath 2016).
/// The branch that does not keep the truth never reports it: an answer that is kept with the same probability
/// and otherwise replaced by a fair coin is less private, ln((1 + p) / (1 - p)) for k = 2.
class RandomisedResponse : public CategoryMechanism {
 public:
  RandomisedResponse(std::size_t categories, double epsilon);

  std::string name() const override { return "randomised_response"; }
  MechanismTerms terms() const override;
  ReleasePointer release() const override { return release_; }
  std::size_t inputs() const override { return categories_; }
  std::size_t outputs() const override { return categories_; }
  double probability(std::size_t output, std::size_t input) const override;
  Released<std::size_t> simulate(std::size_t input, Stream& stream) const override;
  Released<std::size_t> protect(std::size_t input, SecureRandom& random) const override;
  /// Unbiased estimate of every category's share, from how often each was reported.
  std::vector<double> estimate(std::span<const std::uint64_t> reported) const;

 private:
  std::size_t categories_;
  double epsilon_;
  double keep_;
  double other_;
  ReleasePointer release_;
};

/// (count / reports - q) / (p - q) per category: unbiased when a true category is counted with probability p
/// and any other with probability q. Estimates may be negative; clamping them would bias them.
std::vector<double> debiased_shares(std::span<const std::uint64_t> counts, std::uint64_t reports, double p,
                                    double q);

/// Fails when `category` is not one of `categories`.
void require_category(std::size_t category, std::size_t categories);

}  // namespace earshot
