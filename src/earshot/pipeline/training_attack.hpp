// An attack on a training that was overheard: the only code that holds its truth and its reconstructions at
// once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "earshot/attack/inversion/reconstruction.hpp"
#include "earshot/attack/leak/leak.hpp"
#include "earshot/core/json.hpp"
#include "earshot/pipeline/train_preflight.hpp"
#include "earshot/pipeline/train_trial.hpp"

namespace earshot {

/// Which steps every node made in which round: what was at stake in it, and what it cost.
class StepLog {
 public:
  /// Call before every round of training and after the last.
  void note(Protocol& protocol);
  struct Used {
    std::vector<std::size_t> records;  // ascending, each once
    std::uint64_t pass = 0;            // how they looked in the first step that used any
  };
  /// The records a node used in `rounds` rounds from `round` (from 1) on.
  Used used(Protocol& protocol, std::size_t node, std::uint64_t round, std::uint64_t rounds) const;

  using Spent = std::vector<std::optional<double>>;  // by node; none: no guarantee
  /// What the nodes had spent when a round (from 1) ended; call for the rounds that will be asked for.
  void note_spent(std::uint64_t round, Spent spent) { spent_[round] = std::move(spent); }
  /// None for rounds that were not noted.
  std::optional<double> spent(std::uint64_t round, std::size_t node) const;

 private:
  std::vector<std::vector<std::uint64_t>> steps_;  // by round, then node: made before it
  std::map<std::uint64_t, Spent> spent_;
};

/// One leak, and what the attacker made of it.
struct AttackedLeak {
  Leak leak;
  std::optional<Reconstruction> found;
  std::string why;     // nothing was found
  double seconds = 0;  // of closed forms and search
};
struct AttackedView {
  std::vector<AttackedLeak> leaks;  // by victim
  double seconds = 0;               // until they were read off the messages
};

/// What an attacker is left with, before anything is held against the truth. Of that nothing reaches it but
/// what the settings of the attack hand over.
AttackedView attack_view(const Cell& cell, const TrialAddress& address, TrainTrial& trial, const StepLog& log,
                         const TrainingData& data, const GraphSources& sources, const View& view);

/// Tables "victims", one row per attacked record, and "attackers"; with pictures also "truths" and "gallery".
Json attack_training(const Cell& cell, const TrialAddress& address, TrainTrial& trial, const StepLog& log,
                     const TrainingData& data, const GraphSources& sources, bool with_pictures);
/// Of those tables.
TableColumns attack_columns();

/// What stands in the way of the attack of a cell that trains.
bool attack_sections_fit(const Cell& cell, const Complain& complain);
/// `network` is null for a TorchScript file.
void check_attack(const Cell& cell, const TrainingData& data, const Architecture* network,
                  const Complain& complain);

}  // namespace earshot
