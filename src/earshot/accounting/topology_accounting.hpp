// What training costs on a server, and on a ring that skips slow nodes; noise that makes them comparable.
#pragma once

#include <cstdint>

#include "earshot/accounting/privacy_statement.hpp"

namespace earshot {

/// A token visits the nodes of a ring in fixed order; a node that is slower than the time-out is skipped with
/// probability `skip`. A visit clips the gradient to `clip` and adds N(0, sigma^2).
struct SkipRing {
  double sigma = 1;
  double clip = 1;
  std::uint64_t visits = 0;  // of all nodes together
  std::uint64_t nodes = 0;
  double skip = 0;
};

/// A bound that fails with probability delta_visits on how often one node takes part (Chernoff): part of
/// Theorem 2 of the Skip-Ring analysis (Yakimenka et al. 2022).
std::uint64_t skip_ring_participations(const SkipRing& ring, double delta_visits);

/// Network DP of one node against any other, total delta = delta + delta_visits. `as_published`: the
/// theorem's closed form, which is zCDP composition with the classic conversion; otherwise the exact
/// composition of that many Gaussian releases, which is smaller.
double skip_ring_epsilon(const SkipRing& ring, double delta, double delta_visits, bool as_published);
PrivacyStatement skip_ring_statement(const SkipRing& ring, double delta, double delta_visits,
                                     bool as_published);

/// A server (or anyone who sees every update) hears `rounds` clipped and noised updates of each node.
struct CentralTraining {
  double sigma = 1;
  double clip = 1;
  std::uint64_t rounds = 0;
};
double central_epsilon(const CentralTraining& training, double delta, bool as_published);
PrivacyStatement central_statement(const CentralTraining& training, double delta, bool as_published);

/// The sigma at which central training for `rounds` rounds has the same epsilon as the ring: equal epsilon at
/// a common checkpoint, not equal protection by the same mechanism.
double aligned_central_sigma(const SkipRing& ring, std::uint64_t rounds, double clip, double delta,
                             double delta_visits, bool as_published);

}  // namespace earshot
