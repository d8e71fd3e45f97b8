// What a run of training promises, against each adversary there is: never a bare epsilon.
#pragma once

#include <span>
#include <vector>

#include "earshot/accounting/privacy_statement.hpp"
#include "earshot/protocol/protocol.hpp"
#include "earshot/threat/adversary.hpp"

namespace earshot {

struct TrainingCircumstances {
  bool connected = false;  // the examples are nodes of one graph
  bool faulty = false;     // messages may have been lost or late, which no analysis of the network covers
  std::span<const Adversary> chosen;  // those who listen to this training
};

struct TrainingStatement : PrivacyStatement {
  bool chosen = false;  // it holds against an adversary that was chosen to listen
};

/// The promise to the worst learning node, first against whoever hears everything it sends, then against each
/// weaker adversary of such a network; last, where an analysis of the network gives more against those who
/// hear only part of it, that: for the worst single node, and for the adversary that was chosen.
std::vector<TrainingStatement> training_statements(Protocol& protocol,
                                                   const TrainingCircumstances& circumstances);

}  // namespace earshot
