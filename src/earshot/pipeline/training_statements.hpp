// What a run of training promises, against each adversary there is: never a bare epsilon.
#pragma once

#include <vector>

#include "earshot/accounting/privacy_statement.hpp"
#include "earshot/protocol/protocol.hpp"

namespace earshot {

struct TrainingCircumstances {
  bool connected = false;  // the examples are nodes of one graph
  bool faulty = false;     // messages may have been lost or late, which no analysis of the network covers
};

/// The promise to the worst learning node, first against whoever hears everything it sends, then against each
/// weaker adversary of such a network; last, where an analysis of the network gives more against those who
/// hear only part of it, that.
std::vector<PrivacyStatement> training_statements(Protocol& protocol,
                                                  const TrainingCircumstances& circumstances);

}  // namespace earshot
