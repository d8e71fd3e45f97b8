// Unary encoding: a category as a vector of bits, each of them randomised.
#pragma once

#include <vector>

#include "earshot/mechanism/mechanism.hpp"

namespace earshot {

enum class UnaryKind {
  kSymmetric,  // both kinds of bits are kept with probability e^(epsilon/2) / (e^(epsilon/2) + 1)
  kOptimised   // the 1 is kept with probability 1/2, a 0 becomes 1 with probability 1 / (e^epsilon + 1)
};

/// Unary encoding (Erlingsson, Pihur & Korolova 2014) with the parameters of Wang, Blocki, Li & Jha (2017,
/// section 4.2): the optimised one has the least variance of the estimated shares.
class UnaryEncoding : public BitVectorMechanism {
 public:
  UnaryEncoding(std::size_t categories, double epsilon, UnaryKind kind = UnaryKind::kOptimised);

  std::string name() const override;
  MechanismTerms terms() const override;
  ReleasePointer release() const override { return release_; }
  std::size_t categories() const override { return categories_; }
  /// P[bit reported as 1 | it is 1] and P[bit reported as 1 | it is 0].
  double p() const { return p_; }
  double q() const { return q_; }
  Released<Bits> simulate(std::size_t category, Stream& stream) const override;
  Released<Bits> protect(std::size_t category, SecureRandom& random) const override;
  /// Unbiased estimate of every category's share, from how often each bit was reported as 1.
  std::vector<double> estimate(std::span<const std::uint64_t> ones, std::uint64_t reports) const;

 private:
  std::size_t categories_;
  double epsilon_;
  UnaryKind kind_;
  double p_;
  double q_;
  ReleasePointer release_;
};

}  // namespace earshot
