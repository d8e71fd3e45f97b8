#include "earshot/pipeline/training_statements.hpp"

#include <algorithm>
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

constexpr const char* kServer = "the server";
constexpr const char* kClient = "another client";
constexpr const char* kServerAndClients = "the server and any set of other clients together";
constexpr const char* kNeighbour = "a single neighbour";
constexpr const char* kColluding = "any set of colluding nodes";
constexpr const char* kEavesdropper = "an eavesdropper on every wire";

/// A server is the last node.
bool has_server(Protocol& protocol) {
  return protocol.participants().size() > protocol.learners().size();
}

std::vector<std::string> adversaries_of(Protocol& protocol) {
  if (protocol.participants().size() == 1) return {};
  if (has_server(protocol)) return {kServer, kClient, kServerAndClients, kEavesdropper};
  return {kNeighbour, kColluding, kEavesdropper};
}

bool only_taps(const Adversary& adversary) {
  return adversary.colluding.empty();
}

bool only_members(const Adversary& adversary) {
  return adversary.tapped.empty() && adversary.wires.empty();
}

bool is_one_node(const Adversary& adversary) {
  return only_members(adversary) && adversary.colluding.size() == 1;
}

/// Which of those it is; empty for members who tap others as well, of whom only the first statement speaks.
std::string kind_of(const Adversary& adversary, Protocol& protocol) {
  if (only_taps(adversary)) return kEavesdropper;
  if (!only_members(adversary)) return "";
  const bool alone = is_one_node(adversary);
  if (!has_server(protocol)) return alone ? kNeighbour : kColluding;
  const bool server = adversary.colluding.back() + std::size_t{1} == protocol.participants().size();
  if (!alone) return kServerAndClients;
  return server ? kServer : kClient;
}

std::set<std::string> kinds_of(std::span<const Adversary> adversaries, Protocol& protocol) {
  std::set<std::string> kinds;
  for (const Adversary& adversary : adversaries) kinds.insert(kind_of(adversary, protocol));
  return kinds;
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

/// What is promised against one listener, from the joint view of all it hears.
std::optional<PrivacyStatement> promise_against(const DecentralisedTraining& training,
                                                const Adversary& adversary) {
  const Graph& graph = training.mixing().graph();
  if (target_nodes(graph, adversary).empty()) return {};
  std::optional<PrivacyStatement> promise = network_statement(training, adversary).statement;
  if (promise && only_taps(adversary))
    promise->adversary = adversary_name(graph, adversary) + ": knows the weights";
  return promise;
}

/// What an analysis of the network promises beyond the local statement.
std::vector<TrainingStatement> network_promises(const Protocol& protocol, std::span<const Adversary> chosen) {
  std::vector<TrainingStatement> promises;
  if (const auto* averaging = dynamic_cast<const DecentralisedTraining*>(&protocol)) {
    // Against every node in turn is against the worst of them.
    const bool each = chosen.size() > 1;
    if (const auto worst = worst_node_statement(*averaging).statement) promises.push_back({*worst, each});
    if (chosen.size() != 1) return promises;
    if (const auto own = promise_against(*averaging, chosen[0])) promises.push_back({*own, true});
    return promises;
  }
  const Json facts = protocol.public_facts();
  if (facts.contains("network_privacy"))
    promises.push_back(
        {statement_from(facts.at("network_privacy")), std::ranges::any_of(chosen, is_one_node)});
  return promises;
}

}  // namespace

std::vector<TrainingStatement> training_statements(Protocol& protocol,
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
  const std::set<std::string> kinds = kinds_of(circumstances.chosen, protocol);
  std::vector<TrainingStatement> statements = {{local, kinds.contains("")}};
  for (const std::string& adversary : adversaries_of(protocol)) {
    statements.push_back({local, kinds.contains(adversary)});
    statements.back().adversary = adversary;
    if (local.epsilon)
      statements.back().assumptions.emplace_back(
          "the local statement: it bounds what anybody learns from all messages of a node, whoever colludes");
  }
  if (circumstances.faulty) return statements;
  for (TrainingStatement& promise : network_promises(protocol, circumstances.chosen))
    statements.push_back(std::move(promise));
  return statements;
}

}  // namespace earshot
