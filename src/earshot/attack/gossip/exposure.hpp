// Who could reconstruct whom, decided exactly and before any data exists.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "earshot/graph/gossip_matrix.hpp"
#include "earshot/threat/adversary.hpp"

namespace earshot {

/// sum_i coefficients[i] * x[nodes[i]] is known to the adversary although no single term is. Coefficients are
/// exact rationals written "3/4", or empty when their height exceeds what was searched.
struct Relation {
  std::vector<NodeId> nodes;
  std::vector<std::string> coefficients;
};

/// What one adversary can determine. A node is reconstructible after T rounds exactly when its unit vector
/// lies in the row space of the knowledge matrix (El Mrini et al. 2024, section 4).
struct Exposure {
  Adversary adversary;
  std::size_t rounds = 0;  // rounds analysed
  bool saturated = false;  // no further round would add anything
  std::size_t rank = 0;    // dimension of what is known, members' own values included
  /// Rounds after which the node is reconstructible: 0 for members, 1 for heard nodes, empty for never within
  /// `rounds`.
  std::vector<std::optional<std::size_t>> first_round;
  /// Number of reconstructible nodes (members included) after 1, 2, ... rounds.
  std::vector<std::size_t> by_round;

  std::vector<NodeId> reconstructible() const;
  double share() const;
};

/// Rounds to analyse: a number, or as many as bring anything new.
struct RoundLimit {
  std::size_t rounds = 0;  // 0: until saturation
};

/// Decided modulo two primes that must agree on every round of every node (a third is drawn if they do not).
Exposure analyse_exposure(const GossipMatrix& matrix, const Adversary& adversary, RoundLimit limit);

/// The same for many adversaries, in parallel. The known space depends only on the members together with
/// those they hear, so adversaries with equal closed neighbourhoods are analysed once.
std::vector<Exposure> analyse_exposures(const GossipMatrix& matrix, std::span<const Adversary> adversaries,
                                        RoundLimit limit);

/// Relations among nodes that stay hidden after `limit` rounds; coefficients by rational reconstruction from
/// as many primes as it takes, at most `largest_prime_count`, confirmed by one prime more. 0: no
/// coefficients, supports only.
std::vector<Relation> hidden_relations(const GossipMatrix& matrix, const Adversary& adversary,
                                       RoundLimit limit, std::size_t largest_prime_count);

}  // namespace earshot
