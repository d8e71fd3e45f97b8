// What a run of decentralised averaging promises a node against others who hear only part of the network.
#pragma once

#include <optional>
#include <string>

#include "earshot/accounting/privacy_statement.hpp"
#include "earshot/protocol/decentralised.hpp"
#include "earshot/threat/adversary.hpp"

namespace earshot {

/// A statement, or the reason why there is none.
struct NetworkAnswer {
  std::optional<PrivacyStatement> statement;
  std::string reason;
};

/// The promise to `victim`, or to whoever loses most, against `adversary` in the rounds done so far, from the
/// exact joint view of all messages the adversary hears; on graphs drawn anew, of the graphs that were drawn.
/// Only for Gaussian noise that every node added once in every round, plain gossip, and networks small
/// enough.
NetworkAnswer network_statement(const DecentralisedTraining& training, const Adversary& adversary,
                                std::optional<NodeId> victim = {});
/// The same against whichever single node learns most about another.
NetworkAnswer worst_node_statement(const DecentralisedTraining& training);

}  // namespace earshot
