#include "earshot/accounting/network/exact_knowledge.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "earshot/accounting/network/agreed.hpp"
#include "earshot/attack/gossip/echelon_basis.hpp"
#include "earshot/attack/gossip/knowledge_span.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

void note_newly_determined(const EchelonBasis& basis, std::size_t round, ExactKnowledge& knowledge) {
  for (std::size_t node = 0; node < knowledge.first_round.size(); ++node) {
    if (!knowledge.first_round[node] && basis.contains_unit(node)) knowledge.first_round[node] = round;
  }
}

ExactKnowledge before_any_message(std::size_t nodes, const Adversary& adversary) {
  ExactKnowledge knowledge;
  knowledge.first_round.resize(nodes);
  for (const NodeId member : adversary.colluding) knowledge.first_round[member] = 0;
  return knowledge;
}

ExactKnowledge analyse_modulo(const ModularGossipMatrix& matrix, const Adversary& adversary,
                              RoundLimit limit) {
  ExactKnowledge knowledge = before_any_message(matrix.graph().node_count(), adversary);
  KnowledgeSpan span(matrix, adversary);
  while (!span.saturated() && (limit.rounds == 0 || knowledge.rounds() < limit.rounds)) {
    const std::size_t before = span.basis().rank();
    span.add_round();
    if (span.basis().rank() == before) break;  // this round only confirms saturation
    knowledge.new_directions.push_back(span.basis().rank() - before);
    note_newly_determined(span.basis(), knowledge.rounds(), knowledge);
  }
  knowledge.saturated = span.saturated();
  return knowledge;
}

/// A schedule modulo one prime, acting on rows over the non-members' columns.
class ModularSchedule {
 public:
  ModularSchedule(const GossipSchedule& schedule, const Adversary& adversary, std::size_t prime_index)
      : schedule_(schedule), adversary_(adversary), field_(audit_prime(prime_index)) {
    copies_.reserve(schedule.matrices.size());
    for (const GossipMatrix& matrix : schedule.matrices) copies_.emplace_back(matrix, field_);
  }
  const PrimeField& field() const { return field_; }
  std::size_t nodes() const { return schedule_.matrices.front().node_count(); }
  std::vector<NodeId> heard(std::size_t round) const {
    return heard_nodes(schedule_.at(round).graph(), adversary_);
  }
  std::vector<Residue> unit(NodeId node) const {
    std::vector<Residue> row(nodes(), 0);
    row[node] = 1;
    return row;
  }
  /// row * M_round.
  std::vector<Residue> advance(const std::vector<Residue>& row, std::size_t round) const {
    std::vector<Residue> out(row.size());
    copies_[round / schedule_.rounds_each].advance(row, out);
    for (const NodeId member : adversary_.colluding) out[member] = 0;
    return out;
  }

 private:
  const GossipSchedule& schedule_;
  const Adversary& adversary_;
  PrimeField field_;
  std::vector<ModularGossipMatrix> copies_;
};

ExactKnowledge analyse_schedule(const ModularSchedule& schedule, const Adversary& adversary,
                                std::size_t rounds) {
  ExactKnowledge knowledge = before_any_message(schedule.nodes(), adversary);
  EchelonBasis basis(schedule.field(), schedule.nodes());
  for (std::size_t round = 0; round < rounds; ++round) {
    const std::size_t before = basis.rank();
    for (const NodeId heard : schedule.heard(round)) {
      std::vector<Residue> row = schedule.unit(heard);
      for (std::size_t past = round; past > 0; --past) row = schedule.advance(row, past - 1);
      basis.insert(row);
    }
    knowledge.new_directions.push_back(basis.rank() - before);
    note_newly_determined(basis, round + 1, knowledge);
  }
  return knowledge;
}

std::vector<Residue> dense_row(const EchelonBasis& basis, std::size_t index, std::size_t columns) {
  std::vector<Residue> row(columns, 0);
  for (const EchelonBasis::Entry& entry : basis.row(index)) row[entry.column] = entry.coefficient;
  return row;
}

std::vector<std::size_t> dimensions_modulo(const ModularSchedule& schedule, std::size_t rounds) {
  std::vector<std::size_t> dimensions(rounds);
  EchelonBasis later(schedule.field(), schedule.nodes());
  for (std::size_t round = rounds; round-- > 0;) {
    EchelonBasis basis(schedule.field(), schedule.nodes());
    for (const NodeId heard : schedule.heard(round)) basis.insert(schedule.unit(heard));
    for (std::size_t i = 0; i < later.rank(); ++i)
      basis.insert(schedule.advance(dense_row(later, i, schedule.nodes()), round));
    dimensions[round] = basis.rank();
    later = std::move(basis);
  }
  return dimensions;
}

}  // namespace

void require_schedule(const GossipSchedule& schedule, const Adversary& adversary) {
  if (schedule.rounds() == 0)
    fail(Fault::kConfig, "a gossip schedule needs at least one matrix and one round per matrix");
  const std::size_t nodes = schedule.matrices.front().node_count();
  for (const GossipMatrix& matrix : schedule.matrices) {
    if (matrix.node_count() != nodes)
      fail(Fault::kConfig, fmt::format("the matrices of a gossip schedule must share their nodes: one has "
                                       "{}, another {}",
                                       nodes, matrix.node_count()));
  }
  for (const auto* group : {&adversary.colluding, &adversary.tapped}) {
    if (!group->empty() && group->back() >= nodes) fail(Fault::kConfig, "an attacker is not in the graph");
  }
}

ExactAnalysis::ExactAnalysis(const GossipMatrix& matrix) : matrix_(matrix) {
  for (std::size_t i = 0; i < kAgreeingPrimes; ++i) copies_.emplace_back(matrix, PrimeField(audit_prime(i)));
}

ExactKnowledge ExactAnalysis::of(const Adversary& adversary, RoundLimit limit) const {
  require_schedule({{&matrix_, 1}}, adversary);
  return agreed_modulo_primes<ExactKnowledge>([&](std::size_t i) {
    if (i < copies_.size()) return analyse_modulo(copies_[i], adversary, limit);
    return analyse_modulo({matrix_, PrimeField(audit_prime(i))}, adversary, limit);
  });
}

ExactKnowledge exact_knowledge(const GossipSchedule& schedule, const Adversary& adversary) {
  require_schedule(schedule, adversary);
  return agreed_modulo_primes<ExactKnowledge>([&](std::size_t i) {
    return analyse_schedule(ModularSchedule(schedule, adversary, i), adversary, schedule.rounds());
  });
}

std::vector<std::size_t> backward_dimensions(const GossipSchedule& schedule, const Adversary& adversary,
                                             std::size_t rounds) {
  return agreed_modulo_primes<std::vector<std::size_t>>(
      [&](std::size_t i) { return dimensions_modulo(ModularSchedule(schedule, adversary, i), rounds); });
}

}  // namespace earshot
