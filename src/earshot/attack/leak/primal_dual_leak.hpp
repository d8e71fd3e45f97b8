// What the messages of ADMM and PDMM show of every node's gradients.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "earshot/attack/leak/leak.hpp"
#include "earshot/attack/leak/primal_dual_gradients.hpp"
#include "earshot/model/architecture.hpp"

namespace earshot {

/// What is read off the messages.
enum class DualForm {
  kBest,        // the gradient itself where it shows, otherwise the difference from one round to the next
  kDifference,  // always that difference
  kPublished    // the difference over two rounds, from models (Yu 2026)
};

/// Where the models come from at which a difference is taken.
enum class ModelAnchor {
  kLinks,  // a member's knowledge, carried along heard links; otherwise none
  kLast    // a member's last model, walked back (Yu 2026); otherwise none
};

struct PrimalDualLeakOptions {
  DualForm form = DualForm::kBest;
  ModelAnchor anchor = ModelAnchor::kLinks;
  bool exact_rule = false;  // take every update for an exact one, as an adversary without alpha or mu must
  std::optional<double> step{};  // a guess of alpha or mu instead of what is public
  /// With a network: alpha or mu is fitted, so that a victim's rounds show the same record, instead of what
  /// is public. One record per victim.
  const Architecture* fit_step = nullptr;
  Links links = Links::kAll;
  std::uint64_t round = 1;   // of training, from 1: the first model of the leak is made in it or later
  std::uint64_t rounds = 1;  // leaks per victim, from consecutive steps of the victim
  bool together = false;     // those leaks as one, added up so that noise averages out (aligned_sum)
  std::uint64_t until = 0;   // the adversary listens for so many rounds of training; 0: all recorded
  std::size_t victims = 0;   // so many at most of those that show something, in their order; 0: all
};

/// For every honest node of which enough is heard. Observations are of the mean loss of the node's records;
/// the number of records is public. Where no model is known the parameters of the terms are empty: then only
/// what needs none, the input of one record at the first dense layer, follows. Refuses a secret alpha or mu
/// without a guess, and differences of gradients where a step sees only part of the records. Leaks added up
/// name no models.
std::vector<Leak> primal_dual_leaks(const View& view, const PrimalDualLeakOptions& options);

/// The messages that `primal_dual_leaks` will read of a run in which everybody speaks in every exchange of
/// the window, found by reading such a run before there is one: what is read depends on who hears whom, not
/// on what is said. A view that has only these gives the same leaks to the last bit. None where that does not
/// hold: nodes that sleep, a server, a step that is fitted, a last model, which depends on when the run ends.
std::optional<MessageKeys> messages_read(const Adversary& adversary, const PublicKnowledge& told,
                                         const RoundWindow& window, PrimalDualLeakOptions options);

}  // namespace earshot
