#include "earshot/pipeline/train_trial.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/interrupt.hpp"
#include "earshot/pipeline/components.hpp"
#include "earshot/pipeline/model_fit.hpp"
#include "earshot/pipeline/rows.hpp"
#include "earshot/pipeline/table_attack.hpp"
#include "earshot/pipeline/training_attack.hpp"
#include "earshot/pipeline/training_memory.hpp"
#include "earshot/training/protection_components.hpp"

namespace earshot {
namespace {

/// A network is drawn while a reader can still see something.
constexpr std::size_t kMostDrawnNodes = 1000;

Json or_null(const std::optional<double>& value) {
  return value ? finite_or_null(*value) : Json(nullptr);
}

Json scores_json(const std::optional<Scores>& scores, double Scores::*value) {
  return scores ? finite_or_null((*scores).*value) : Json(nullptr);
}

/// The share of right classes, or the error of numbers: each has its own column.
Json accuracy_json(const std::optional<Scores>& scores) {
  return scores && scores->classes ? scores_json(scores, &Scores::accuracy) : Json(nullptr);
}
Json rmse_json(const std::optional<Scores>& scores) {
  return scores && !scores->classes ? scores_json(scores, &Scores::accuracy) : Json(nullptr);
}

std::vector<std::string> round_columns() {
  return {"round",    "elapsed",         "train_loss", "loss",         "accuracy", "rmse",
          "baseline", "validation_loss", "epsilon",    "disagreement", "lost"};
}
std::vector<std::string> end_columns() {
  return {"rounds",     "end",     "accuracy",     "rmse",    "baseline", "loss",
          "train_loss", "epsilon", "disagreement", "elapsed", "lost"};
}
std::vector<std::string> node_columns() {
  return {"node", "records", "steps", "epsilon", "budget_spent"};
}
std::vector<std::string> statement_columns() {
  return {"adversary", "epsilon", "delta", "unit", "adjacency", "definition", "assumptions", "chosen"};
}

/// Training in one place has one node, which holds what was dealt to all.
void pool(std::vector<std::vector<std::size_t>>& shards) {
  std::vector<std::size_t> all;
  for (const auto& shard : shards) all.insert(all.end(), shard.begin(), shard.end());
  std::ranges::sort(all);
  shards = {std::move(all)};
}

/// Clusters of clients find each other by models that differ from the start.
void require_different_starts(const Cell& cell, const ChosenModel& model) {
  const Settings settings = protocol_settings(cell);
  if (model.architecture() == nullptr && settings.has("clusters") && settings.size("clusters") > 1)
    fail(Fault::kConfig,
         "a TorchScript file starts from its own parameters, so that all clusters would be alike; set "
         "\"clusters\" to 1, or use a named network");
}

std::string joined(const std::vector<std::string>& sentences) {
  return fmt::format("{}", fmt::join(sentences, "; "));
}

}  // namespace

std::size_t learning_nodes(const Cell& cell, const Graph* graph) {
  const Choice* partition = cell.find("partition");
  const bool said = partition != nullptr && partition->settings.has("nodes");
  const bool bound = training_protocol(cell).needs != NetworkNeed::kNone;
  if (graph != nullptr && said && bound && partition->settings.size("nodes") != graph->node_count()) {
    fail(Fault::kConfig,
         fmt::format("the partition divides the records over {} nodes, the graph has {}; leave out "
                     "partition.nodes",
                     partition->settings.size("nodes"), graph->node_count()));
  }
  if (said) return partition->settings.size("nodes");
  if (graph != nullptr) return graph->node_count();
  return partition == nullptr ? 1 : kUsualNodes;
}

std::string end_text(RunEnd end) {
  switch (end) {
    case RunEnd::kNotYet:
      return "not finished";
    case RunEnd::kAllRounds:
      return "all rounds done";
    case RunEnd::kNoGain:
      return "stopped early";
    case RunEnd::kBudgetsSpent:
      return "budgets spent";
  }
  fail(Fault::kInternal, "unknown end of a run");
}

TrainTrial::TrainTrial(const Cell& cell, const TrialAddress& address, const TrainingData& data,
                       const GraphSources& sources)
    : data_(data), model_(choose_model(cell.at("model"), data.examples.get(), sources)) {
  build_network(cell, address, sources);
  const Graph* graph = matrix_ ? &matrix_->graph() : nullptr;
  auto shards = shards_of(cell, data, learning_nodes(cell, graph), address, sources);
  if (cell.at("protocol").kind == "central") pool(shards);
  for (std::size_t node = 0; node < shards.size(); ++node) {
    const bool named = graph != nullptr && graph->node_count() == shards.size();
    names_.push_back(named ? graph->name(static_cast<NodeId>(node)) : fmt::format("node {}", node));
    records_.push_back(shards[node].size());
  }

  task_ = std::make_unique<LearningTask>(*model_.model, *data.examples, training_precision(cell));
  require_different_starts(cell, model_);
  ProtocolParts parts{
      *task_,         {},           names_,       matrix_ ? &*matrix_ : nullptr, protection(cell, shards),
      start(address), address.seed, address.trial};
  parts.shards = std::move(shards);
  protocol_ = training_protocol(cell).make(protocol_settings(cell), std::move(parts));
  network_ =
      std::make_unique<LocalNetwork>(protocol_->topology(), protocol_->participants(), wire_precision(cell));
  if (const FaultOptions faults = fault_options(cell); faults.any())
    network_->suffer(faults, address.seed, address.trial);
  let_listen(cell, address);
  run_ = std::make_unique<TrainingRun>(*protocol_, *network_, *task_, data.parts, run_options(cell));
}

void TrainTrial::build_network(const Cell& cell, const TrialAddress& address, const GraphSources& sources) {
  const Choice* choice = cell.find("graph");
  if (choice == nullptr) return;
  Stream stream(address.stream(Purpose::kGraph));
  const Graph graph = graph_component(choice->kind).make(choice->settings, stream, sources);
  const Choice* weights = cell.find("weights");
  matrix_ = weights == nullptr ? metropolis_weights(graph)
                               : weights_component(weights->kind).make(graph, weights->settings, sources);
}

std::vector<double> TrainTrial::start(const TrialAddress& address) const {
  Stream stream(address.stream(Purpose::kModelInit));
  std::vector<double> state = start_parameters(model_, stream);
  const std::span<const double> statistics = model_.model->buffers();
  state.insert(state.end(), statistics.begin(), statistics.end());
  return state;
}

/// Training in one place sends nothing.
void TrainTrial::let_listen(const Cell& cell, const TrialAddress& address) {
  if (cell.find("adversary") == nullptr || protocol_->participants().size() == 1) return;
  const bool weighs = training_protocol(cell).needs == NetworkNeed::kWeights;
  PublicKnowledge told = public_knowledge(*protocol_, weighs ? &*matrix_ : nullptr, start(address));
  tell_of_training(cell, told);
  listeners_ = std::make_unique<TrainingListeners>(cell, address, *protocol_, names_, std::move(told));
  network_->attach(listeners_->observer());
  protocol_->start_encrypted([&](NodeId from, NodeId to, std::span<const double> message) {
    listeners_->recorder().on_encrypted(from, to, message);
  });
  recording_bytes_ = bytes_to_record(cell);
}

double TrainTrial::bytes_to_record(const Cell& cell) const {
  const double in_a_round =
      recorded_bytes(cell, task_->state_size(), listeners_->network(), listeners_->adversaries());
  const std::uint64_t rounds = listeners_->recorded_rounds(cell.at("protocol").settings.size("rounds"));
  const double all = static_cast<double>(rounds) * in_a_round;
  const auto chosen = listeners_->read();
  if (!std::ranges::all_of(chosen, [](const auto& one) { return one.has_value(); })) return all;
  return std::min(all, chosen_bytes(chosen, task_->state_size(), in_a_round / protocol_->exchanges()));
}

/// Sizes of data and batches, and the law of the noise, are no secrets.
void TrainTrial::tell_of_training(const Cell& cell, PublicKnowledge& told) {
  told.protocol["kind"] = cell.at("protocol").kind;
  told.protocol["rounds"] = cell.at("protocol").settings.size("rounds");
  told.protocol["records"] = records_;
  told.protocol["batch"] = batch_options(protocol_settings(cell)).size;
  if (fault_options(cell).any()) told.protocol["lossy"] = true;
  const Protection& protection = protocol_->learners().front()->protection();
  if (protection.scope == ProtectedScope::kNothing) return;
  told.protocol["noise"] = {{"law", protection.mechanism->name()},
                            {"deviation", protection.mechanism->noise_deviation(task_->parameter_count())},
                            {"on", protection.scope == ProtectedScope::kExample ? "sum" : "mean"}};
}

bool TrainTrial::attacks_round(std::uint64_t round) const {
  return listeners_ && std::ranges::binary_search(listeners_->attacked_rounds(), round);
}

std::span<const View> TrainTrial::views() const {
  return listeners_ ? listeners_->recorder().views() : std::span<const View>();
}

Protection TrainTrial::protection(const Cell& cell,
                                  const std::vector<std::vector<std::size_t>>& shards) const {
  const Settings settings = protocol_settings(cell);
  const auto [smallest, largest] = std::ranges::minmax(records_);
  const BatchOptions batch = batch_options(settings);
  const ProtectionUse use{batch.draw,
                          training_protocol(cell).steps(settings, shards.size(), largest),
                          settings.size("rounds"),
                          smallest,
                          batch.size,
                          task_->parameter_count()};
  const Choice& mechanism = cell.at("mechanism");
  const ProtectionComponent& component = find_protection(mechanism.kind);
  Protection protection = component.make(settings_for(component.schema, mechanism), use);
  const PerExample gradients = per_example_gradients(model_);
  if (protection.scope == ProtectedScope::kExample && !gradients.possible)
    fail(Fault::kConfig,
         fmt::format("mechanism \"{}\" clips each record's gradient, which is impossible here: {}",
                     mechanism.kind, gradients.why));
  return protection;
}

const std::vector<TrainingStatement>& TrainTrial::statements() {
  if (statements_.empty() || stated_round_ != run_->round()) {
    TrainingCircumstances circumstances{data_.examples->connected(), network_->fault_report() != nullptr, {}};
    if (listeners_) circumstances.chosen = listeners_->adversaries();
    statements_ = training_statements(*protocol_, circumstances);
    if (protocol_->learners().front()->protection().scope == ProtectedScope::kExample) {
      for (TrainingStatement& statement : statements_) add_assumptions(model_, statement);
    }
    stated_round_ = run_->round();
  }
  return statements_;
}

Json TrainTrial::rounds_table() const {
  RowTable table(round_columns());
  for (const RoundReport& report : run_->reports()) {
    table.add({report.round, or_null(report.elapsed), or_null(report.train_loss),
               scores_json(report.test, &Scores::loss), accuracy_json(report.test), rmse_json(report.test),
               scores_json(report.test, &Scores::baseline), scores_json(report.validation, &Scores::loss),
               or_null(report.epsilon), or_null(report.disagreement), report.lost});
  }
  return table.json();
}

Json TrainTrial::training_table() {
  RowTable table(end_columns());
  if (run_->reports().empty()) return table.json();
  const RoundReport& last = run_->reports().back();
  const std::optional<Scores>& test = run_->test_scores();
  table.add({run_->round(), end_text(run_->end()), accuracy_json(test), rmse_json(test),
             scores_json(test, &Scores::baseline), scores_json(test, &Scores::loss), or_null(last.train_loss),
             or_null(last.epsilon), or_null(last.disagreement), or_null(last.elapsed), last.lost});
  return table.json();
}

Json TrainTrial::nodes_table() {
  RowTable table(node_columns());
  const auto learners = protocol_->learners();
  const auto epsilons = run_->epsilons();
  for (std::size_t i = 0; i < learners.size(); ++i) {
    table.add({names_[i], records_[i], learners[i]->steps(), or_null(epsilons[i]), learners[i]->exhausted()});
  }
  return table.json();
}

Json TrainTrial::statements_table() {
  RowTable table(statement_columns());
  for (const TrainingStatement& statement : statements()) {
    table.add({statement.adversary, or_null(statement.epsilon), statement.delta, statement.unit,
               statement.adjacency, statement.definition, joined(statement.assumptions), statement.chosen});
  }
  return table.json();
}

Json TrainTrial::tables() {
  Json tables = {{"rounds", rounds_table()},
                 {"training", training_table()},
                 {"nodes", nodes_table()},
                 {"statements", statements_table()}};
  if (listeners_) tables["views"] = listeners_->table(run_->round());
  return tables;
}

void TrainTrial::save(StateWriter& out) const {
  run_->save(out);
  if (listeners_) listeners_->recorder().save(out);
}

void TrainTrial::load(StateReader& in) {
  run_->load(in);
  if (listeners_) listeners_->recorder().load(in);
}

Json TrainTrial::result(bool in_full) {
  Json out = {{"tables", tables()}};
  if (!in_full) return out;
  if (matrix_ && matrix_->node_count() <= kMostDrawnNodes)
    out["network"] = network_json(Stage{*matrix_, {}}, run_->round());
  out["statement"] = to_json(statements().front());
  out["ledger"] = run_->ledger().to_text();
  out["warnings"] = protocol_->warnings();
  return out;
}

Json run_train_trial(const Cell& cell, const TrialAddress& address, const TrainingData& data,
                     const GraphSources& sources) {
  TrainTrial trial(cell, address, data, sources);
  const bool attacked = cell.find("attack") != nullptr;
  StepLog log;
  while (trial.run().end() == RunEnd::kNotYet) {
    stop_if_interrupted();
    if (attacked) log.note(trial.protocol());
    trial.run().advance();
    if (trial.attacks_round(trial.run().round())) log.note_spent(trial.run().round(), trial.run().epsilons());
  }
  const bool first = address.trial == 0;
  Json out = trial.result(first);
  if (!attacked) return out;
  log.note(trial.protocol());
  Json attack = attacks_tables(cell) ? attack_table(cell, address, trial, log, data)
                                     : attack_training(cell, address, trial, log, data, sources, first);
  out["tables"].update(attack["tables"]);
  attack.erase("tables");
  out.update(attack);
  return out;
}

TableColumns train_columns(const Cell& cell) {
  TableColumns columns{{"rounds", round_columns()},
                       {"training", end_columns()},
                       {"nodes", node_columns()},
                       {"statements", statement_columns()}};
  if (cell.find("adversary") != nullptr) columns["views"] = TrainingListeners::columns();
  if (cell.find("attack") != nullptr)
    columns.merge(attacks_tables(cell) ? table_attack_columns() : attack_columns());
  return columns;
}

}  // namespace earshot
