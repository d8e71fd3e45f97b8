#include "earshot/mechanism/unary_encoding.hpp"

#include <cmath>

#include "earshot/core/error.hpp"
#include "earshot/mechanism/exact_samplers.hpp"
#include "earshot/mechanism/randomised_response.hpp"

namespace earshot {
namespace {

double logistic(double x) {
  return 1 / (1 + std::exp(-x));
}

}  // namespace

UnaryEncoding::UnaryEncoding(std::size_t categories, double epsilon, UnaryKind kind)
    : categories_(categories), epsilon_(require_positive(epsilon, "epsilon")), kind_(kind) {
  if (categories < 2) fail(Fault::kConfig, "unary encoding needs at least two categories");
  const bool symmetric = kind == UnaryKind::kSymmetric;
  p_ = symmetric ? logistic(epsilon / 2) : 0.5;
  q_ = logistic(symmetric ? -epsilon / 2 : -epsilon);
  // Neighbours differ in two bits, (1, 0) against (0, 1); all others are alike and independent.
  const double p0 = 1 - p_;
  const double q0 = logistic(symmetric ? epsilon / 2 : epsilon);
  release_ = make_release(
      FinitePairRelease{name(), {p_ * q0, p_ * q_, p0 * q0, p0 * q_}, {q_ * p0, q_ * p_, q0 * p0, q0 * p_}});
}

std::string UnaryEncoding::name() const {
  return kind_ == UnaryKind::kSymmetric ? "symmetric_unary_encoding" : "optimised_unary_encoding";
}

MechanismTerms UnaryEncoding::terms() const {
  return {"any change", 1, {}, "one person's category", "replace it by any other"};
}

Released<BitVectorMechanism::Bits> UnaryEncoding::simulate(std::size_t category, Stream& stream) const {
  require_category(category, categories_);
  Bits bits(categories_);
  for (std::size_t i = 0; i < categories_; ++i) bits[i] = stream.uniform() < (i == category ? p_ : q_);
  return {std::move(bits), release_};
}

Released<BitVectorMechanism::Bits> UnaryEncoding::protect(std::size_t category, SecureRandom& random) const {
  require_category(category, categories_);
  const bool symmetric = kind_ == UnaryKind::kSymmetric;
  ExactRatio flip = exact_ratio(epsilon_);
  if (symmetric) flip.denominator *= 2;  // exact_ratio leaves the topmost bits free
  Bits bits(categories_);
  for (std::size_t i = 0; i < categories_; ++i) {
    if (i != category) {
      bits[i] = bernoulli_logistic(random, flip);
    } else {
      bits[i] = symmetric ? !bernoulli_logistic(random, flip) : fair_coin(random);
    }
  }
  return {std::move(bits), release_};
}

std::vector<double> UnaryEncoding::estimate(std::span<const std::uint64_t> ones,
                                            std::uint64_t reports) const {
  if (ones.size() != categories_) fail(Fault::kData, "there must be one count per category");
  return debiased_shares(ones, reports, p_, q_);
}

}  // namespace earshot
