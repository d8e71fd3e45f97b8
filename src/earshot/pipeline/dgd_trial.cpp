#include "earshot/pipeline/dgd_trial.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "earshot/attack/gossip/gossip_attack.hpp"
#include "earshot/attack/inversion/softmax_inversion.hpp"
#include "earshot/core/parallel.hpp"
#include "earshot/model/native/native_model.hpp"
#include "earshot/network/local_network.hpp"
#include "earshot/pipeline/attack_report.hpp"
#include "earshot/pipeline/components.hpp"
#include "earshot/pipeline/release_record.hpp"
#include "earshot/protocol/decentralised.hpp"
#include "earshot/threat/view.hpp"

namespace earshot {

std::vector<std::string> training_columns() {
  return {"initial_loss", "loss", "train_accuracy", "accuracy", "consensus_error"};
}

namespace {

/// Everything that learns in one trial. Built in place: the later members refer to the earlier ones.
struct Training {
  std::unique_ptr<Model> model;
  std::shared_ptr<VectorMechanism> mechanism;
  std::unique_ptr<Examples> examples;  // example i is node i's image
  std::unique_ptr<LearningTask> task;
  std::vector<double> start;
  std::unique_ptr<DecentralisedTraining> protocol;
  std::unique_ptr<LocalNetwork> network;
};

std::unique_ptr<Examples> private_examples(const LoadedImages& images, const PrivateImages& truth) {
  std::vector<double> inputs;
  for (const auto& image : truth.by_node) inputs.insert(inputs.end(), image.begin(), image.end());
  return record_examples(images.dataset.shape, std::move(inputs),
                         {images.dataset.classes, {truth.labels.begin(), truth.labels.end()}});
}

/// One record per node; its gradient is protected as one vector.
ProtocolParts parts_of(const Training& training, const Stage& stage, const TrialAddress& address) {
  ProtocolParts parts{*training.task, {}, {}, &stage.matrix, {}, training.start, address.seed, address.trial};
  for (NodeId node = 0; node < stage.graph().node_count(); ++node) {
    parts.shards.push_back({node});
    parts.names.push_back(stage.graph().name(node));
  }
  parts.protection.scope = ProtectedScope::kBatch;
  parts.protection.mechanism = training.mechanism;
  return parts;
}

Training build_training(const Cell& cell, const TrialAddress& address, const Stage& stage,
                        const LoadedImages& images, const PrivateImages& truth) {
  const Settings& protocol = cell.at("protocol").settings;
  const Choice& mechanism = cell.at("mechanism");
  Training training;
  training.model =
      make_native_model(model_component(cell.at("model").kind)
                            .make(cell.at("model").settings, images.dataset.shape, images.dataset.classes));
  training.mechanism = mechanism_component(mechanism.kind).make(mechanism.settings, protocol.size("rounds"));
  training.examples = private_examples(images, truth);
  training.task = std::make_unique<LearningTask>(*training.model, *training.examples, Precision::kDouble);
  Stream init(address.stream(Purpose::kModelInit));
  training.start = training.task->initial_state(init);
  DecentralisedOptions options;
  options.learning_rate = protocol.real("learning_rate");
  LearnerOptions learner;
  learner.observer = statement_of_run(training.mechanism->terms()).adversary;
  training.protocol = std::make_unique<DecentralisedTraining>(options, learner, LatencyOptions{},
                                                              std::make_unique<FixedMixing>(stage.matrix),
                                                              parts_of(training, stage, address));
  const bool single = protocol.text("message_precision") == "float32";
  training.network =
      std::make_unique<LocalNetwork>(training.protocol->topology(), training.protocol->participants(),
                                     single ? WirePrecision::kSingle : WirePrecision::kDouble);
  return training;
}

double share_correct(const Model& model, Parameters parameters, std::span<const double> inputs,
                     std::span<const std::size_t> labels) {
  if (labels.empty()) return 0;
  const std::size_t classes = model.output_size();
  std::vector<double> probabilities(labels.size() * classes);
  model.predict(parameters, labels.size(), inputs, probabilities);
  std::size_t correct = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto row = std::span(probabilities).subspan(i * classes, classes);
    const auto best = static_cast<std::size_t>(std::max_element(row.begin(), row.end()) - row.begin());
    correct += best == labels[i] ? 1U : 0U;
  }
  return static_cast<double>(correct) / static_cast<double>(labels.size());
}

/// Mean loss of one parameter vector over all nodes' data: the objective D-GD minimises, divided by n.
double objective(const Training& training, std::span<const double> state) {
  std::vector<double> at(state.begin(), state.end());
  std::vector<double> unused(state.size());
  double sum = 0;
  for (std::size_t node = 0; node < training.examples->size(); ++node) {
    sum += training.task->gradient(at, {std::span(&node, 1)}, unused);
  }
  return sum / static_cast<double>(training.examples->size());
}

Json training_table(const Training& training, const PrivateImages& truth) {
  std::vector<double> mean(training.start.size());
  training.protocol->result(mean);
  std::vector<double> own;
  for (const auto& image : truth.by_node) own.insert(own.end(), image.begin(), image.end());
  RowTable table(training_columns());
  table.add({finite_or_null(objective(training, training.start)), finite_or_null(objective(training, mean)),
             share_correct(*training.model, mean, own, truth.labels),
             share_correct(*training.model, mean, truth.held_out, truth.held_out_labels),
             finite_or_null(*training.protocol->disagreement())});
  return table.json();
}

std::vector<Guess> attack(const View& view, const Exposure& exposure, const Settings& settings,
                          const Model& model) {
  const LinearReconstruction gradients =
      reconstruct_gradients(view, exposure, estimator_kind(settings.text("estimator")), settings.real("cut"));
  const auto kind =
      settings.text("inversion") == "rank_one" ? SoftmaxInversion::kRankOne : SoftmaxInversion::kLargestBias;
  std::vector<Guess> guesses;
  for (std::size_t i = 0; i < gradients.targets.size(); ++i) {
    Guess guess;
    guess.victim = gradients.targets[i];
    guess.standard_error = gradients.standard_error[i];
    const auto row = gradients.values.row(static_cast<Eigen::Index>(i));
    const std::span<const double> gradient(row.data(), static_cast<std::size_t>(row.size()));
    if (auto record = invert_softmax_gradient(gradient, model.input_size(), model.output_size(), kind)) {
      guess.image = std::move(record->input);
      guess.label = record->label;
    }
    guesses.push_back(std::move(guess));
  }
  return guesses;
}

}  // namespace

Json run_dgd_trial(const Cell& cell, const TrialAddress& address, const Stage& stage,
                   const LoadedImages& images) {
  const Settings& protocol = cell.at("protocol").settings;
  const Settings& attack_settings = cell.at("attack").settings;
  const std::size_t window = recorded_rounds(cell);
  const PrivateImages truth = deal_images(images, stage.graph().node_count(), address);
  const StageExposure exposed = expose(stage, window);
  Training training = build_training(cell, address, stage, images, truth);

  PublicKnowledge told;
  told.gossip_matrix = &stage.matrix;
  told.initial_parameters = training.start;
  told.learning_rate = protocol.real("learning_rate");
  Recorder recorder(stage.graph(), stage.adversaries, std::move(told), static_cast<Round>(window));
  training.network->attach(recorder);
  training.network->run(static_cast<Round>(protocol.size("rounds")));

  std::vector<std::vector<Guess>> guesses(stage.adversaries.size());
  parallel_for(guesses.size(), [&](std::size_t i) {
    if (heard_nodes(stage.graph(), stage.adversaries[i]).empty())
      return;  // an isolated attacker has nothing to solve
    guesses[i] = attack(recorder.views()[i], exposed.exposures[i], attack_settings, *training.model);
  });
  const bool first = address.trial == 0;
  AttackReport report(stage, exposed, images, truth, attack_settings.real("success_psnr"));
  for (std::size_t i = 0; i < guesses.size(); ++i) report.add(i, guesses[i], first);

  Json out = {{"tables",
               {{"training", training_table(training, truth)},
                {"attackers", attacker_table(stage, exposed, unit_roundoff(cell), &report.tallies())},
                {"victims", report.victims()}}}};
  if (!first) return out;
  out["network"] = network_json(stage, window);
  out["exposure"] = exposure_json(stage, exposed, unit_roundoff(cell));
  const Ledger ledger = joint_ledger(training.protocol->learners());
  out["statement"] = to_json(recorded_statement(ledger, *training.mechanism, cell.at("mechanism").settings));
  out["ledger"] = ledger.to_text();
  out["truths"] = report.truths();
  out["gallery"] = report.gallery();
  return out;
}

}  // namespace earshot
