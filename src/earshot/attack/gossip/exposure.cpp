#include "earshot/attack/gossip/exposure.hpp"

#include <algorithm>
#include <map>

#include "earshot/attack/gossip/knowledge_span.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/parallel.hpp"

namespace earshot {

std::vector<NodeId> Exposure::reconstructible() const {
  std::vector<NodeId> nodes;
  for (NodeId node = 0; node < first_round.size(); ++node) {
    if (first_round[node]) nodes.push_back(node);
  }
  return nodes;
}

double Exposure::share() const {
  return first_round.empty()
             ? 0.0
             : static_cast<double>(reconstructible().size()) / static_cast<double>(first_round.size());
}

namespace {

std::size_t note_newly_exposed(const EchelonBasis& basis, std::size_t round,
                               std::vector<std::optional<std::size_t>>& first_round) {
  std::size_t exposed = 0;
  for (std::size_t node = 0; node < first_round.size(); ++node) {
    if (!first_round[node] && basis.contains_unit(node)) first_round[node] = round;
    if (first_round[node]) ++exposed;
  }
  return exposed;
}

Exposure analyse_modulo(const ModularGossipMatrix& matrix, const Adversary& adversary, RoundLimit limit) {
  Exposure exposure;
  exposure.adversary = adversary;
  exposure.first_round.resize(matrix.graph().node_count());
  for (const NodeId node : adversary.colluding) exposure.first_round[node] = 0;
  KnowledgeSpan span(matrix, adversary);
  while (!span.saturated() && (limit.rounds == 0 || exposure.rounds < limit.rounds)) {
    const std::size_t rank_before = span.basis().rank();
    span.add_round();
    if (span.basis().rank() == rank_before)
      break;  // the round that only confirms saturation is not a useful one
    exposure.by_round.push_back(note_newly_exposed(span.basis(), ++exposure.rounds, exposure.first_round));
  }
  exposure.saturated = span.saturated();
  exposure.rank = span.basis().rank() + adversary.colluding.size();
  return exposure;
}

bool agree(const Exposure& a, const Exposure& b) {
  return a.rank == b.rank && a.saturated == b.saturated && a.first_round == b.first_round &&
         a.by_round == b.by_round;
}

/// One modular copy of W per audit prime, shared by all adversaries.
class ModularCopies {
 public:
  explicit ModularCopies(const GossipMatrix& matrix) : matrix_(matrix) {
    for (std::size_t i = 0; i < 2; ++i) copies_.emplace_back(matrix, PrimeField(audit_prime(i)));
  }
  Exposure agreed(const Adversary& adversary, RoundLimit limit) const {
    std::vector<Exposure> seen;
    for (std::size_t i = 0; i < kMostPrimes; ++i) {
      Exposure found = i < copies_.size() ? analyse_modulo(copies_[i], adversary, limit)
                                          : analyse_modulo(extra(i), adversary, limit);
      for (const Exposure& earlier : seen) {
        if (agree(earlier, found)) return found;
      }
      seen.push_back(std::move(found));
    }
    fail(Fault::kNumeric, "no two primes agree on who is reconstructible; the weights may be adversarial");
  }

 private:
  static constexpr std::size_t kMostPrimes = 8;
  ModularGossipMatrix extra(std::size_t index) const { return {matrix_, PrimeField(audit_prime(index))}; }
  const GossipMatrix& matrix_;
  std::vector<ModularGossipMatrix> copies_;
};

std::vector<NodeId> closed_neighbourhood(const Graph& graph, const Adversary& adversary) {
  std::vector<NodeId> nodes = heard_nodes(graph, adversary);
  nodes.insert(nodes.end(), adversary.colluding.begin(), adversary.colluding.end());
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

/// Restates an analysis for another adversary with the same closed neighbourhood: only what is known before
/// the first message differs.
Exposure restate_for(Exposure exposure, const Graph& graph, const Adversary& adversary) {
  exposure.adversary = adversary;
  for (const NodeId node : heard_nodes(graph, adversary)) exposure.first_round[node] = 1;
  for (const NodeId node : adversary.colluding) exposure.first_round[node] = 0;
  return exposure;
}

}  // namespace

Exposure analyse_exposure(const GossipMatrix& matrix, const Adversary& adversary, RoundLimit limit) {
  return ModularCopies(matrix).agreed(adversary, limit);
}

std::vector<Exposure> analyse_exposures(const GossipMatrix& matrix, std::span<const Adversary> adversaries,
                                        RoundLimit limit) {
  std::map<std::vector<NodeId>, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < adversaries.size(); ++i) {
    groups[closed_neighbourhood(matrix.graph(), adversaries[i])].push_back(i);
  }
  std::vector<const std::vector<std::size_t>*> work;
  work.reserve(groups.size());
  for (const auto& [key, members] : groups) work.push_back(&members);
  const ModularCopies copies(matrix);
  std::vector<Exposure> exposures(adversaries.size());
  parallel_for(work.size(), [&](std::size_t g) {
    const auto& members = *work[g];
    const Exposure found = copies.agreed(adversaries[members.front()], limit);
    for (const std::size_t i : members) exposures[i] = restate_for(found, matrix.graph(), adversaries[i]);
  });
  return exposures;
}

}  // namespace earshot
