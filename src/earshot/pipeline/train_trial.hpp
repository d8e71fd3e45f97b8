// A trial of a protocol that trains: everything that learns, measured round by round.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "earshot/core/json.hpp"
#include "earshot/pipeline/chosen_model.hpp"
#include "earshot/pipeline/training_listeners.hpp"
#include "earshot/pipeline/training_sections.hpp"
#include "earshot/pipeline/training_statements.hpp"
#include "earshot/protocol/training_run.hpp"

namespace earshot {

class TrainTrial {
 public:
  /// Builds the whole network of learners; refuses what does not fit together. `data` must outlive it.
  TrainTrial(const Cell& cell, const TrialAddress& address, const TrainingData& data,
             const GraphSources& sources);

  TrainingRun& run() { return *run_; }
  const TrainingRun& run() const { return *run_; }
  Protocol& protocol() { return *protocol_; }
  const std::variant<Architecture, ScriptReference>& network() const { return model_.network; }
  const LearningTask& task() const { return *task_; }
  std::size_t nodes() const { return names_.size(); }

  /// Null when nobody listens.
  const TrainingListeners* listeners() const { return listeners_.get(); }
  /// What each adversary has heard so far; none when nobody listens.
  std::span<const View> views() const;
  /// Whether the attack asks for this round (from 1) by name.
  bool attacks_round(std::uint64_t round) const;
  /// Bytes the adversaries record in the whole run, about or at most; 0 when nobody listens.
  double recording_bytes() const { return recording_bytes_; }

  /// What the run so far promises, against every adversary.
  const std::vector<TrainingStatement>& statements();
  /// Tables "rounds", "training", "nodes" and "statements" of the run so far, and "views" if somebody
  /// listens.
  Json tables();
  /// The unit of a results document; `in_full` with statement, ledger and network.
  Json result(bool in_full);

  /// The run and what was recorded of it; between two rounds.
  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  void build_network(const Cell& cell, const TrialAddress& address, const GraphSources& sources);
  std::vector<double> start(const TrialAddress& address) const;
  void let_listen(const Cell& cell, const TrialAddress& address);
  double bytes_to_record(const Cell& cell) const;
  void tell_of_training(const Cell& cell, PublicKnowledge& told);
  Protection protection(const Cell& cell, const std::vector<std::vector<std::size_t>>& shards) const;
  Json rounds_table() const;
  Json training_table();
  Json nodes_table();
  Json statements_table();

  const TrainingData& data_;
  std::optional<GossipMatrix> matrix_;
  std::vector<std::string> names_;  // of the learning nodes
  std::vector<std::size_t> records_;
  ChosenModel model_;
  std::unique_ptr<LearningTask> task_;
  std::unique_ptr<Protocol> protocol_;
  std::unique_ptr<LocalNetwork> network_;
  std::unique_ptr<TrainingRun> run_;
  std::unique_ptr<TrainingListeners> listeners_;
  double recording_bytes_ = 0;
  std::vector<TrainingStatement> statements_;  // made after `stated_round_`
  std::uint64_t stated_round_ = 0;
};

/// Trains to the end, then attacks if the cell says so; Ctrl-C ends it with Fault::kInterrupted.
Json run_train_trial(const Cell& cell, const TrialAddress& address, const TrainingData& data,
                     const GraphSources& sources);
/// Of a cell that trains.
TableColumns train_columns(const Cell& cell);

/// Among whom the records are divided: as the partition says, as many as the graph has, or the usual number;
/// 1 without a partition. `graph` may be null.
std::size_t learning_nodes(const Cell& cell, const Graph* graph);

/// "all rounds", "no gain", ...
std::string end_text(RunEnd end);

}  // namespace earshot
