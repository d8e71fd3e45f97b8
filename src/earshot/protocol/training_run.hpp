// Runs a protocol round by round: what a run is measured by, when it stops, and how it goes on after a break.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "earshot/accounting/ledger.hpp"
#include "earshot/network/local_network.hpp"
#include "earshot/protocol/protocol.hpp"
#include "earshot/training/trainer.hpp"

namespace earshot {

struct RunOptions {
  std::size_t rounds = 1;          // of training
  std::size_t evaluate_every = 1;  // rounds from one report to the next; the last round is always reported
  std::size_t patience = 0;        // reports without a better validation loss before the run stops; 0: never
  double least_gain = 0;           // a report is better if its loss is lower by more than this
};

/// How the nodes stand after some rounds of training.
struct RoundReport {
  std::uint64_t round = 0;           // from 1
  std::optional<double> elapsed;     // simulated time, where the protocol has a clock
  std::optional<double> train_loss;  // mean over the nodes, of their steps since the last report; none under
                                     // protection, which does not cover it
  std::optional<Scores> validation;  // of the protocol's result
  std::optional<Scores> test;
  std::optional<double> epsilon;       // spent so far by the worst node; none: no guarantee
  std::optional<double> disagreement;  // between the nodes
  std::uint64_t lost = 0;              // messages lost so far
};

/// What a node has let out, its name aside: nodes that spent alike are promised alike.
std::string spending_of(const Learner& learner);

enum class RunEnd {
  kNotYet,
  kAllRounds,
  kNoGain,       // the validation loss has stopped falling
  kBudgetsSpent  // no node may take another step
};

class TrainingRun {
 public:
  /// All that is referred to must outlive the run. Refuses patience without a validation part.
  TrainingRun(Protocol& protocol, LocalNetwork& network, LearningTask& task, const TrainingParts& parts,
              const RunOptions& options);

  /// Rounds of training done.
  std::uint64_t round() const { return round_; }
  RunEnd end() const { return end_; }
  /// One more round of training; true if it ended with a report. Parameters that are not finite any more end
  /// the run with Fault::kNumeric and the round; the reports so far stay.
  bool advance();

  const std::vector<RoundReport>& reports() const { return reports_; }
  /// What was learnt: the best validated state where patience was asked for, else the protocol's result.
  std::vector<double> state() const;
  /// Of `state()`; none where there is no such part.
  const std::optional<Scores>& test_scores() const;
  /// Spent so far by every learning node; none: no guarantee.
  std::vector<std::optional<double>> epsilons();
  /// All releases of all nodes.
  Ledger ledger() const;

  /// Participants, network and all that was measured; between two rounds.
  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  void report();
  std::optional<double> train_loss() const;
  std::optional<Scores> scores(std::span<const double> state, std::span<const std::size_t> part,
                               double baseline) const;
  void check_finite(std::span<const double> state) const;

  Protocol& protocol_;
  LocalNetwork& network_;
  LearningTask& task_;
  const TrainingParts& parts_;
  RunOptions options_;
  std::vector<Learner*> learners_;
  double validation_baseline_ = 0;
  double test_baseline_ = 0;

  std::uint64_t round_ = 0;
  RunEnd end_ = RunEnd::kNotYet;
  std::vector<RoundReport> reports_;
  std::vector<double> best_state_;  // empty until there is one
  std::size_t best_report_ = 0;
  std::map<std::string, std::optional<double>> spent_;  // by what was released: many nodes spend alike
};

}  // namespace earshot
