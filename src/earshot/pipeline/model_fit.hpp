// What a network can learn from, and whether it can learn privately.
#pragma once

#include <string>

#include "earshot/accounting/privacy_statement.hpp"
#include "earshot/pipeline/chosen_model.hpp"

namespace earshot {

/// Nodes of one graph, or graphs.
bool are_graphs(const Examples& examples);

/// Refuses a network (its model need not be there yet) that these examples cannot be given to, or whose
/// outputs and loss do not fit their targets.
void require_fit(const ChosenModel& chosen, const Examples& examples);

/// How DP-SGD gets each record's gradient: "fused", "ghost clipping", "one at a time" or "impossible", and
/// why.
struct PerExample {
  std::string how;
  std::string why;
  bool possible = true;
};
PerExample per_example_gradients(const ChosenModel& chosen);
/// What a promise that rests on clipping each example takes for granted about the network is added to it.
void add_assumptions(const ChosenModel& chosen, PrivacyStatement& statement);

}  // namespace earshot
