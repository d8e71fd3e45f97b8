// Laplace noise scaled to the L1 sensitivity.
#pragma once

#include "earshot/mechanism/coordinate_laplace.hpp"

namespace earshot {

/// Neighbours lie within an L1 sensitivity, so that a release is sensitivity / scale -DP (Dwork, McSherry,
/// Nissim & Smith 2006).
class LaplaceMechanism : public CoordinateLaplace {
 public:
  LaplaceMechanism(MechanismTerms terms, double scale);
  /// scale = releases * sensitivity / epsilon: `releases` releases together are epsilon-DP.
  static LaplaceMechanism calibrated(const MechanismTerms& terms, double epsilon, std::size_t releases = 1);

  std::string name() const override { return "laplace"; }
  ReleasePointer release() const override { return release_; }
  ReleasePointer protected_release(std::size_t dimension) const override;
  PrivacyStatement statement(std::size_t releases) const override;

 private:
  ReleasePointer release_;
};

}  // namespace earshot
