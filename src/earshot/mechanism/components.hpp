// The vector mechanisms an experiment can name.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "earshot/core/schema.hpp"
#include "earshot/mechanism/mechanism.hpp"

namespace earshot {

/// No protection, written out: the value passes unchanged and everything that is said about it says so.
class NoMechanism : public VectorMechanism {
 public:
  NoMechanism();
  std::string name() const override { return "none"; }
  MechanismTerms terms() const override;
  ReleasePointer release() const override { return release_; }
  ReleasePointer simulate(std::span<double>, Stream&) const override { return release_; }
  ReleasePointer protect(std::span<double>, SecureRandom&) const override { return release_; }
  ReleasePointer protected_release(std::size_t) const override { return release_; }
  double noise_deviation(std::size_t) const override { return 0; }
  PrivacyStatement statement(std::size_t) const override { return no_privacy(); }

 private:
  ReleasePointer release_;
};

/// `mechanism` components by name; `releases` is how often one node applies it in a run.
struct MechanismComponent {
  Schema schema;
  std::unique_ptr<VectorMechanism> (*make)(const Settings&, std::size_t releases);
};
std::span<const MechanismComponent> mechanism_components();

}  // namespace earshot
