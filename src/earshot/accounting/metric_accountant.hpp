// Metric privacy: epsilons per unit of distance add up, and approximate ones keep their deltas.
#pragma once

#include <string>
#include <vector>

#include "earshot/accounting/privacy_statement.hpp"
#include "earshot/accounting/release_event.hpp"

namespace earshot {

/// d-privacy (Chatzikokolakis, Andres, Bordenabe & Palamidessi 2013) and approximate geo-indistinguishability
/// P[S|x] <= e^(eps d) P[S|x'] + delta e^(eps d) (Atmaca, Biswas, Maple & Palamidessi 2024) of independent
/// reports about one secret. All releases must share their distance.
class MetricAccountant {
 public:
  /// Refuses by name everything that is not metric privacy.
  void add(const ReleaseEvent& event, std::uint64_t count = 1);

  /// Per unit of distance.
  double epsilon() const { return epsilon_; }
  /// The composition theorem's delta: the sum.
  double delta() const { return delta_; }

  /// What holds for two secrets `distance` apart: (epsilon d, delta) in the usual sense, with the tighter
  /// 1 - prod(1 - delta_i e^(eps_i d)) of the theorem's proof; delta 1 says nothing.
  struct AtDistance {
    double epsilon;
    double delta;
  };
  AtDistance at_distance(double distance) const;

  PrivacyStatement statement() const;

 private:
  struct Part {
    double epsilon;
    double delta;
    std::uint64_t count;
  };
  std::vector<Part> parts_;
  std::string distance_;
  double epsilon_ = 0;
  double delta_ = 0;
};

}  // namespace earshot
