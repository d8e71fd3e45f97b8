#include "earshot/training/protection.hpp"

#include "earshot/mechanism/components.hpp"
#include "earshot/mechanism/gaussian.hpp"

namespace earshot {

Protection no_protection() {
  Protection protection;
  protection.mechanism = std::make_shared<NoMechanism>();
  return protection;
}

bool releases_one_gaussian_vector(const Protection& protection) {
  const bool one_vector =
      protection.scope == ProtectedScope::kBatch || protection.scope == ProtectedScope::kUpdate;
  return one_vector && protection.mechanism->name() == "gaussian";
}

Protection dp_sgd(const PrivacyOptions& options) {
  require_positive(options.clip, "the clipping bound");
  require_positive(options.noise, "the noise multiplier");
  const Adjacency adjacency = adjacency_of(options.draw);
  const double sensitivity = clipped_sensitivity(ClipScope::kExample, options.clip, adjacency);
  Protection protection;
  protection.scope = ProtectedScope::kExample;
  protection.clip = options.clip;
  protection.mechanism =
      std::make_shared<GaussianMechanism>(promised_terms(Norm::kL2, sensitivity, adjacency, "record"),
                                          options.noise * options.clip, options.delta);
  protection.delta = options.delta;
  protection.accountant = options.accountant;
  protection.budget = options.budget;
  return protection;
}

}  // namespace earshot
