#include "earshot/pipeline/training_statements.hpp"

#include <set>
#include <string>

#include "earshot/core/error.hpp"
#include "earshot/pipeline/network_statement.hpp"
#include "earshot/protocol/decentralised.hpp"
#include "earshot/protocol/training_run.hpp"

namespace earshot {
namespace {

/// A node that let nothing out is promised everything.
PrivacyStatement statement_of(const Learner& learner) {
  if (learner.protection().scope == ProtectedScope::kNothing || !learner.ledger().entries().empty())
    return learner.statement();
  PrivacyStatement nothing = statement_of_run(learner.protection().mechanism->terms());
  nothing.epsilon = 0;
  nothing.definition = "(epsilon, delta)-differential privacy of everything released";
  nothing.assumptions.emplace_back("nothing was released");
  return nothing;
}

PrivacyStatement worst_statement(const std::vector<Learner*>& learners) {
  std::set<std::string> seen;
  std::optional<PrivacyStatement> worst;
  for (const Learner* learner : learners) {
    if (!seen.insert(spending_of(*learner)).second) continue;
    PrivacyStatement next = statement_of(*learner);
    if (!worst || !next.epsilon || (worst->epsilon && *next.epsilon > *worst->epsilon))
      worst = std::move(next);
    if (!worst->epsilon) break;
  }
  if (!worst) fail(Fault::kInternal, "a protocol without learning nodes");
  if (worst->epsilon && learners.size() > 1)
    worst->assumptions.emplace_back("participants hold disjoint data: the worst of them, not their sum");
  return *worst;
}

std::vector<std::string> adversaries_of(Protocol& protocol) {
  const std::size_t nodes = protocol.participants().size();
  const std::size_t learners = protocol.learners().size();
  if (nodes == 1) return {};
  if (nodes > learners) {
    return {"the server", "another client", "the server and any set of other clients together",
            "an eavesdropper on every wire"};
  }
  return {"a single neighbour", "any set of colluding nodes", "an eavesdropper on every wire"};
}

/// The inverse of to_json.
PrivacyStatement statement_from(const Json& json) {
  PrivacyStatement statement;
  if (!json.at("epsilon").is_null()) statement.epsilon = json.at("epsilon").get<double>();
  statement.delta = json.at("delta").get<double>();
  statement.definition = json.at("definition").get<std::string>();
  statement.unit = json.at("unit").get<std::string>();
  statement.adjacency = json.at("adjacency").get<std::string>();
  statement.adversary = json.at("adversary").get<std::string>();
  statement.assumptions = json.at("assumptions").get<std::vector<std::string>>();
  return statement;
}

/// What an analysis of the network promises beyond the local statement.
std::optional<PrivacyStatement> network_promise(const Protocol& protocol) {
  if (const auto* averaging = dynamic_cast<const DecentralisedTraining*>(&protocol))
    return worst_node_statement(*averaging).statement;
  const Json facts = protocol.public_facts();
  if (facts.contains("network_privacy")) return statement_from(facts.at("network_privacy"));
  return {};
}

}  // namespace

std::vector<PrivacyStatement> training_statements(Protocol& protocol,
                                                  const TrainingCircumstances& circumstances) {
  PrivacyStatement local = worst_statement(protocol.learners());
  if (local.epsilon) {
    local.assumptions.emplace_back(
        "scores on validation and test records are published; those records are "
        "not protected");
    if (circumstances.connected)
      local.assumptions.emplace_back(
          "the graph and the features of its nodes are known to all clients, which "
          "read those of their neighbours: only what a client computes is protected");
  }
  std::vector<PrivacyStatement> statements = {local};
  for (const std::string& adversary : adversaries_of(protocol)) {
    statements.push_back(local);
    statements.back().adversary = adversary;
    if (local.epsilon)
      statements.back().assumptions.emplace_back(
          "the local statement: it bounds what anybody learns from all messages of a node, whoever colludes");
  }
  if (circumstances.faulty) return statements;
  if (auto promise = network_promise(protocol)) statements.push_back(std::move(*promise));
  return statements;
}

}  // namespace earshot
