// What an adversary can know after T rounds: the row space of its knowledge matrix, exactly, round by round.
#pragma once

#include <vector>

#include "earshot/attack/gossip/echelon_basis.hpp"
#include "earshot/attack/gossip/prime_field.hpp"
#include "earshot/threat/adversary.hpp"

namespace earshot {

/// The knowledge matrix (El Mrini, Cyffers & Bellet 2024, Algorithm 1) has rows e_a for members a and
/// W^t[v,:] for every heard node v and round t. Modulo the members' columns its row space is that of
/// W_TT^t[v,:] with W_TT the block of non-members: a path through a member re-enters at a node that member
/// hears. The same space belongs to D-GD (Algorithm 2, whose rows are partial sums of those powers), so one
/// analysis serves both.
///
/// Two facts keep it cheap. A heard node whose row is dependent stays dependent for ever (multiply the
/// dependency by W_TT), so it is retired; and when all are retired the space is saturated: no later round
/// adds anything.
class KnowledgeSpan {
 public:
  KnowledgeSpan(const ModularGossipMatrix& matrix, const Adversary& adversary);

  /// Adds the messages of the next round; false once the space is saturated.
  bool add_round();
  bool saturated() const { return active_.empty(); }
  /// Over the non-members' columns, i.e. without the members' own values.
  const EchelonBasis& basis() const { return basis_; }

 private:
  void advance_rows();

  const ModularGossipMatrix& matrix_;
  std::vector<bool> member_;
  EchelonBasis basis_;
  std::vector<std::vector<Residue>> active_;  // current row of each heard node not yet retired
  std::vector<Residue> scratch_;
  bool first_round_ = true;
};

}  // namespace earshot
