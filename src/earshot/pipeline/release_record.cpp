#include "earshot/pipeline/release_record.hpp"

#include <algorithm>
#include <string>

namespace earshot {

Ledger record_releases(const Graph& graph, const MechanismTerms& terms,
                       const std::vector<std::vector<ReleasePointer>>& releases) {
  const PrivacyStatement told = statement_of_run(terms);
  const ProtectedUnit protects{told.unit, told.adjacency};
  Ledger ledger;
  for (NodeId node = 0; node < releases.size(); ++node) {
    for (std::size_t round = 0; round < releases[node].size(); ++round)
      ledger.record(graph.name(node), told.adversary, protects, round, releases[node][round]);
  }
  return ledger;
}

Ledger joint_ledger(std::span<Learner* const> learners) {
  std::string text;
  for (const Learner* learner : learners) text += learner->ledger().to_text();
  return Ledger::from_text(text, "the nodes' ledgers");
}

PrivacyStatement recorded_statement(const Ledger& ledger, const VectorMechanism& mechanism,
                                    const Settings& settings) {
  const PrivacyStatement told = statement_of_run(mechanism.terms());
  if (!settings.has("delta")) {
    std::uint64_t most = 0;
    for (const LedgerEntry& entry : ledger.entries()) most = std::max(most, entry.count);
    return mechanism.statement(most);
  }
  PrivacyStatement statement = ledger.worst_statement(told.adversary, "pld", settings.real("delta"));
  statement.definition = "(epsilon, delta)-local differential privacy of the whole run";
  statement.adjacency = told.adjacency;  // with the sensitivity
  statement.assumptions.insert(statement.assumptions.end(), told.assumptions.begin(), told.assumptions.end());
  return statement;
}

}  // namespace earshot
