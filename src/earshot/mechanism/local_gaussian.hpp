// Local Gaussian noise: a node clips what it is about to reveal and blurs it before anybody hears it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "earshot/accounting/privacy_statement.hpp"
#include "earshot/core/random.hpp"
#include "earshot/core/schema.hpp"

namespace earshot {

/// A randomiser and its privacy curve, inseparable. `releases` is how often one node applies it in a run: the
/// statement is about the whole run, not about one release.
class Mechanism {
 public:
  virtual ~Mechanism() = default;
  /// Turns the true value into the one that may be revealed, in place.
  virtual void privatise(std::span<double> value, Stream& stream) const = 0;
  /// Standard deviation of the noise per coordinate.
  virtual double noise_deviation() const = 0;
  virtual PrivacyStatement statement(std::size_t releases) const = 0;
};

/// Scales `value` down to Euclidean norm `bound` if it is longer; refuses values that are not finite.
void clip_to_norm(std::span<double> value, double bound);

/// clip_to_norm(value, clip) + N(0, sigma^2 I). Replacing a node's data moves the clipped value by at most 2
/// * clip.
class LocalGaussian : public Mechanism {
 public:
  LocalGaussian(double clip, double sigma, double delta);
  /// The smallest sigma for which `releases` applications together are (epsilon, delta)-DP.
  static LocalGaussian calibrated(double clip, double epsilon, double delta, std::size_t releases);

  void privatise(std::span<double> value, Stream& stream) const override;
  double noise_deviation() const override { return sigma_; }
  PrivacyStatement statement(std::size_t releases) const override;

 private:
  double clip_;
  double sigma_;
  double delta_;
};

/// No protection, written out: the value passes unchanged and the statement says so.
class NoMechanism : public Mechanism {
 public:
  void privatise(std::span<double>, Stream&) const override {}
  double noise_deviation() const override { return 0; }
  PrivacyStatement statement(std::size_t) const override { return no_privacy(); }
};

/// `mechanism` components by name.
struct MechanismComponent {
  Schema schema;
  std::unique_ptr<Mechanism> (*make)(const Settings&, std::size_t releases);
};
std::span<const MechanismComponent> mechanism_components();

}  // namespace earshot
