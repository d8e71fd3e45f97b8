// One audit: a mechanism on two neighbouring inputs, what it states about them, and whether that survives.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "earshot/accounting/privacy_statement.hpp"
#include "earshot/audit/boxes.hpp"
#include "earshot/audit/claim.hpp"
#include "earshot/audit/distinguisher.hpp"
#include "earshot/mechanism/mechanism.hpp"

namespace earshot {

/// Which of a mechanism's two operations is audited: `simulate`, from the audit's seed, or `protect`, from
/// the operating system and therefore never the same twice.
enum class Operation { kSimulate, kProtect };

struct Audit {
  BlackBox box;
  Claim claim;
  PrivacyStatement statement;         // the claim with its terms
  std::array<std::string, 2> inputs;  // for people
  std::string observed;               // what the black box shows of a release
};

/// Two inputs of a vector mechanism and what they become without noise.
struct VectorNeighbours {
  VectorPair inputs;
  VectorPair centres;
  Statistic statistic = Statistic::kProjection;
  double distance = 1;  // for metric privacy
};

/// (K, ..., K) and its negative, where K is far outside the clip: all coordinates must be clipped, and to the
/// stated norm, to keep the two within the sensitivity.
VectorNeighbours opposite_outside_clip(Norm norm, double clip, std::size_t dimension, Statistic statistic);

Audit audit_vector(const std::shared_ptr<const VectorMechanism>& mechanism,
                   const VectorNeighbours& neighbours, double delta, Operation operation);
/// The best events are chosen among sets of candidates.
Audit audit_selection(const std::shared_ptr<const SelectionMechanism>& mechanism, const VectorPair& scores,
                      Operation operation);
/// `distance` between the two inputs is for metric privacy.
Audit audit_categories(const std::shared_ptr<const CategoryMechanism>& mechanism,
                       std::array<std::size_t, 2> inputs, double distance, Operation operation);
/// Categories 0 and 1.
Audit audit_bits(const std::shared_ptr<const BitVectorMechanism>& mechanism, Operation operation);

/// Claim and statement of one release on terms that the mechanism states.
void state(Audit& audit, const ReleaseEvent& release, const MechanismTerms& terms, double delta,
           double distance, Operation operation);

struct AuditResult {
  EpsilonBound bound;
  bool passed = false;  // the bound does not exceed what is stated; no proof that the statement holds
};
/// Fails when so few samples could not refute the claim whatever they showed.
AuditResult run_audit(const Audit& audit, const DistinguisherOptions& options, Progress* progress = nullptr);

/// This thread's randomness for `protect`.
SecureRandom& operating_system_random();

}  // namespace earshot
