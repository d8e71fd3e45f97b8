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
#include "earshot/protocol/decentralised_gd.hpp"
#include "earshot/threat/view.hpp"

namespace earshot {

std::vector<std::string> training_columns() {
  return {"initial_loss", "loss", "train_accuracy", "accuracy", "consensus_error"};
}

namespace {

/// Everything that learns in one trial. Built in place: participants keep references into it.
struct Training {
  std::unique_ptr<Model> model;
  std::unique_ptr<VectorMechanism> mechanism;
  std::vector<double> start;
  std::vector<std::unique_ptr<DecentralisedGd>> nodes;
  std::unique_ptr<FixedTopology> topology;
  std::unique_ptr<LocalNetwork> network;
};

Ledger ledger_of(const Graph& graph, const Training& training) {
  std::vector<std::vector<ReleasePointer>> releases;
  for (const auto& node : training.nodes) releases.push_back(node->releases());
  return record_releases(graph, training.mechanism->terms(), releases);
}

Shard one_record(const std::vector<double>& image, std::size_t label, std::size_t classes) {
  Shard shard{1, image, std::vector<double>(classes, 0.0)};
  shard.targets[label] = 1;
  return shard;
}

Training build_training(const Cell& cell, const TrialAddress& address, const Stage& stage,
                        const LoadedImages& images, const PrivateImages& truth) {
  const Settings& protocol = cell.at("protocol").settings;
  const Choice& mechanism = cell.at("mechanism");
  const std::size_t classes = images.dataset.classes;
  Training training;
  training.model = make_native_model(
      model_component(cell.at("model").kind).make(cell.at("model").settings, images.dataset.shape, classes));
  training.mechanism = mechanism_component(mechanism.kind).make(mechanism.settings, protocol.size("rounds"));
  training.start.resize(training.model->parameter_count());
  Stream init(address.stream(Purpose::kModelInit));
  training.model->initialise(init, training.start);
  const DecentralisedGd::Common common{stage.matrix,        *training.model,
                                       *training.mechanism, protocol.real("learning_rate"),
                                       address.seed,        address.trial};
  std::vector<Participant*> participants;
  for (NodeId node = 0; node < stage.graph().node_count(); ++node) {
    training.nodes.push_back(std::make_unique<DecentralisedGd>(
        common, node, one_record(truth.by_node[node], truth.labels[node], classes), training.start));
    participants.push_back(training.nodes.back().get());
  }
  const bool single = protocol.text("message_precision") == "float32";
  training.topology = std::make_unique<FixedTopology>(stage.graph());
  training.network = std::make_unique<LocalNetwork>(*training.topology, std::move(participants),
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
double objective(const Training& training, Parameters parameters) {
  std::vector<double> unused(parameters.size());
  double sum = 0;
  for (const auto& node : training.nodes) {
    sum += training.model->gradient(parameters, node->shard().batch(), unused);
  }
  return sum / static_cast<double>(training.nodes.size());
}

Json training_table(const Training& training, const PrivateImages& truth) {
  const double n = static_cast<double>(training.nodes.size());
  std::vector<double> mean(training.start.size(), 0.0);
  for (const auto& node : training.nodes) {
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += node->parameters()[i] / n;
  }
  double disagreement = 0;
  for (const auto& node : training.nodes) {
    for (std::size_t i = 0; i < mean.size(); ++i) {
      disagreement += (node->parameters()[i] - mean[i]) * (node->parameters()[i] - mean[i]) / n;
    }
  }
  std::vector<double> own;
  for (const auto& image : truth.by_node) own.insert(own.end(), image.begin(), image.end());
  RowTable table(training_columns());
  table.add({finite_or_null(objective(training, training.start)), finite_or_null(objective(training, mean)),
             share_correct(*training.model, mean, own, truth.labels),
             share_correct(*training.model, mean, truth.held_out, truth.held_out_labels),
             finite_or_null(std::sqrt(disagreement))});
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
  const Ledger ledger = ledger_of(stage.graph(), training);
  out["statement"] = to_json(recorded_statement(ledger, *training.mechanism, cell.at("mechanism").settings));
  out["ledger"] = ledger.to_text();
  out["truths"] = report.truths();
  out["gallery"] = report.gallery();
  return out;
}

}  // namespace earshot
