// What every mechanism states about itself, and the two ways to run one: simulate to study, protect to
// release.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "earshot/accounting/privacy_statement.hpp"
#include "earshot/accounting/release_event.hpp"
#include "earshot/core/random.hpp"
#include "earshot/core/secure_random.hpp"
#include "earshot/mechanism/clipping.hpp"

namespace earshot {

/// The conditions under which a mechanism's guarantee holds.
struct MechanismTerms {
  std::string norm;            // in which neighbouring inputs are compared
  double sensitivity = 0;      // how far apart they can lie in that norm
  std::optional<double> clip;  // the mechanism clips to this norm itself; absent: the caller's promise
  std::string unit;            // what is protected
  std::string adjacency;       // which change of it must stay hidden
};

/// The mechanism clips to `clip`: replacing the unit's value moves it by up to 2 clip, adding or removing it
/// by clip.
MechanismTerms clipped_terms(Norm norm, double clip, Adjacency adjacency, std::string unit);
/// The caller has proved that neighbouring inputs lie within `sensitivity`; nothing is clipped.
MechanismTerms promised_terms(Norm norm, double sensitivity, Adjacency adjacency, std::string unit);

/// What came out, and the release event of exactly what was done.
template <class Value>
struct Released {
  Value value;
  ReleasePointer release;
};

/// Every mechanism has two operations with different names. `simulate` draws fast floating-point noise from a
/// replayable stream: for study only. `protect` draws from the operating system by exact discrete samplers on
/// a grid: for data of real people. Both say what they did as a release event; the accounting is done
/// elsewhere.
class Mechanism {
 public:
  virtual ~Mechanism() = default;
  virtual std::string name() const = 0;
  virtual MechanismTerms terms() const = 0;
  /// The event that `simulate` issues.
  virtual ReleasePointer release() const = 0;
};

/// Vectors of reals, changed in place.
class VectorMechanism : public Mechanism {
 public:
  virtual ReleasePointer simulate(std::span<double> value, Stream& stream) const = 0;
  virtual ReleasePointer protect(std::span<double> value, SecureRandom& random) const = 0;
  /// The event that `protect` issues for a value of this dimension.
  virtual ReleasePointer protected_release(std::size_t dimension) const = 0;
  /// Standard deviation of the simulated noise per coordinate of a value of this dimension.
  virtual double noise_deviation(std::size_t dimension) const = 0;
  /// What one unit is promised for a whole run in which it is released `releases` times by `simulate`.
  virtual PrivacyStatement statement(std::size_t releases) const = 0;
};

/// Scores of candidates -> index of the chosen one. Simulated and protected choices have the same event.
class SelectionMechanism : public Mechanism {
 public:
  virtual Released<std::size_t> simulate(std::span<const double> scores, Stream& stream) const = 0;
  virtual Released<std::size_t> protect(std::span<const double> scores, SecureRandom& random) const = 0;
};

/// One of finitely many inputs -> one of finitely many outputs, with known probabilities. Simulated and
/// protected reports have the same event.
class CategoryMechanism : public Mechanism {
 public:
  virtual std::size_t inputs() const = 0;
  virtual std::size_t outputs() const = 0;
  /// P[output | input], the channel.
  virtual double probability(std::size_t output, std::size_t input) const = 0;
  virtual Released<std::size_t> simulate(std::size_t input, Stream& stream) const = 0;
  virtual Released<std::size_t> protect(std::size_t input, SecureRandom& random) const = 0;
};

/// One of finitely many categories -> a vector of bits.
class BitVectorMechanism : public Mechanism {
 public:
  using Bits = std::vector<std::uint8_t>;
  virtual std::size_t categories() const = 0;
  virtual Released<Bits> simulate(std::size_t category, Stream& stream) const = 0;
  virtual Released<Bits> protect(std::size_t category, SecureRandom& random) const = 0;
};

/// A parameter that must be positive and finite; fails with a sentence that names it.
double require_positive(double value, const char* what);
/// Fails when a value is not finite.
void require_finite(std::span<const double> value);
/// Fails when the terms speak of another norm than the mechanism needs.
void require_norm(const MechanismTerms& terms, Norm norm, const char* mechanism);
/// Clips `value` if the terms say so; refuses values that are not finite either way.
void bound_value(const MechanismTerms& terms, Norm norm, std::span<double> value);
/// Unit, adjacency, adversary and the caveat of simulated noise; epsilon and definition are left to fill in.
PrivacyStatement statement_of_run(const MechanismTerms& terms);

}  // namespace earshot
