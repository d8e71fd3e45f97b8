// What a coalition knows, decided over prime fields: how many new directions each round brings and which
// values they determine.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "earshot/attack/gossip/exposure.hpp"
#include "earshot/attack/gossip/prime_field.hpp"
#include "earshot/graph/gossip_matrix.hpp"
#include "earshot/threat/adversary.hpp"

namespace earshot {

/// Gossip whose matrix may change: every matrix mixes for `rounds_each` rounds before the next takes over.
/// Round t's messages travel along the graph of round t.
struct GossipSchedule {
  std::span<const GossipMatrix> matrices;
  std::size_t rounds_each = 1;

  std::size_t rounds() const { return matrices.size() * rounds_each; }
  const GossipMatrix& at(std::size_t round) const { return matrices[round / rounds_each]; }
};

/// Refuses an empty schedule, matrices over different numbers of nodes, and members outside the graph.
void require_schedule(const GossipSchedule& schedule, const Adversary& adversary);

struct ExactKnowledge {
  std::vector<std::size_t> new_directions;              // over the non-members' columns, by round
  std::vector<std::optional<std::size_t>> first_round;  // as in Exposure: 0 for members, empty for never
  bool saturated = false;                               // no further round would add anything
  bool operator==(const ExactKnowledge&) const = default;

  std::size_t rounds() const { return new_directions.size(); }
};

/// Exact analysis of many adversaries over one matrix; its modular copies are made once. Two primes must
/// agree on every number (a third is drawn if they do not), as in analyse_exposure.
class ExactAnalysis {
 public:
  explicit ExactAnalysis(const GossipMatrix& matrix);
  /// Only rounds that bring something new are counted, as in Exposure.
  ExactKnowledge of(const Adversary& adversary, RoundLimit limit) const;

 private:
  const GossipMatrix& matrix_;
  std::vector<ModularGossipMatrix> copies_;
};

/// The same for a changing matrix, over all rounds of the schedule: a round without news says nothing about
/// the next one, so none is left out and saturation is never claimed.
ExactKnowledge exact_knowledge(const GossipSchedule& schedule, const Adversary& adversary);

/// With E_t the heard nodes of round t and M_t the non-members' block of W_t, everything heard in rounds
/// s, s+1, ... as a function of the state at round s is the space S_s = E_s + M_s^T S_{s+1}. Entry s is its
/// dimension, S_rounds being empty; entry 0 is the rank of the knowledge matrix after `rounds` rounds.
std::vector<std::size_t> backward_dimensions(const GossipSchedule& schedule, const Adversary& adversary,
                                             std::size_t rounds);

}  // namespace earshot
