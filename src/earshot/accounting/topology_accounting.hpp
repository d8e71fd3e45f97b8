// What training costs on a server, on a ring that skips slow nodes and by gossip on random graphs; noise that
// makes them comparable.
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

/// A bound that fails with probability at most delta_visits on how often one node takes part. `as_published`:
/// the Chernoff bound of Theorem 2 of Yakimenka et al. (2022), which may exceed the number of turns there
/// are; otherwise the quantile of the binomial law of a node's turns, one per lap.
std::uint64_t skip_ring_participations(const SkipRing& ring, double delta_visits, bool as_published);

/// Network DP of one node against any other, total delta = delta + delta_visits. `as_published`: the
/// theorem's closed form, which is zCDP composition with the classic conversion; otherwise the exact
/// composition of as many Gaussian releases as a node has turns in time, which is smaller.
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

/// Every round all nodes release a clipped and noised update and gossip `gossip_steps` times on a fresh
/// random graph G(nodes, edge_probability): Muffliato as the experiments of Ski (2026) run it.
struct RandomGossip {
  double sigma = 1;
  double clip = 1;
  std::uint64_t rounds = 0;
  std::uint64_t nodes = 0;
  double edge_probability = 0;
  std::uint64_t gossip_steps = 2;
};

/// Of what a server would hear, the share a round gives another node, averaged over the random graph:
/// q + (1 - q) min(1, 2 T_g d / (n - d)) with d = q (n - 1) (Cyffers et al. 2022, Theorem 4). It is an
/// average and not an upper bound for any pair: a neighbour hears everything.
double random_gossip_share(const RandomGossip& gossip);
double random_gossip_epsilon(const RandomGossip& gossip, double delta, bool as_published);
PrivacyStatement random_gossip_statement(const RandomGossip& gossip, double delta, bool as_published);

/// The sigma at which central training for `rounds` rounds has the same epsilon as the ring: equal epsilon at
/// a common checkpoint, not equal protection by the same mechanism.
double aligned_central_sigma(const SkipRing& ring, std::uint64_t rounds, double clip, double delta_visits,
                             bool as_published);
/// The same for gossip; its own sigma is not looked at.
double aligned_gossip_sigma(const SkipRing& ring, const RandomGossip& gossip, double delta_visits,
                            bool as_published);

}  // namespace earshot
