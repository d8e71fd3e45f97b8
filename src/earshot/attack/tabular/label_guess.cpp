#include "earshot/attack/tabular/label_guess.hpp"

#include "earshot/attack/inversion/label_inference.hpp"
#include "earshot/attack/inversion/local_training.hpp"
#include "earshot/attack/tabular/table_layout.hpp"
#include "earshot/core/random.hpp"

namespace earshot {
namespace {

/// Of records between the code words and bounds of the encoder, as no row is known.
std::vector<double> mean_prediction(const Model& model, const TableEncoder& encoder, Parameters parameters,
                                    std::uint64_t seed) {
  constexpr std::size_t kRecords = 256;
  Stream stream({seed, Purpose::kAttack, 0, kRecords});
  std::vector<double> variables(kRecords * encoder.width()), records(variables.size());
  for (double& x : variables) x = -1 + 2 * stream.uniform();
  decode(table_decoder(encoder), encoder.width(), variables, records);
  std::vector<double> predicted(kRecords * model.output_size()), mean(model.output_size());
  model.predict(parameters, kRecords, records, predicted);
  for (std::size_t i = 0; i < predicted.size(); ++i) mean[i % mean.size()] += predicted[i] / kRecords;
  return mean;
}

std::vector<double> gradient_of(const Observation& observation) {
  std::vector<double> gradient = observation.values;
  if (!observation.local_training) return gradient;
  const auto steps = static_cast<double>(local_steps(*observation.local_training, observation.records));
  for (double& x : gradient) x /= observation.local_training->rate * steps;
  return gradient;
}

}  // namespace

std::optional<std::vector<double>> guessed_targets(const Architecture& architecture, const Model& model,
                                                   const TableEncoder& encoder,
                                                   const Observation& observation, std::uint64_t seed) {
  if (model.loss() != LossKind::kSoftmaxCrossEntropy) return std::nullopt;
  LabelEvidence evidence;
  const auto mean = mean_prediction(model, encoder, observation.terms.front().parameters, seed);
  evidence.mean_prediction = mean;
  const auto counts = infer_labels(architecture, gradient_of(observation), observation.records, evidence);
  if (!counts) return std::nullopt;
  std::vector<double> targets;
  for (const std::size_t label : counts->labels())
    for (std::size_t c = 0; c < model.output_size(); ++c) targets.push_back(c == label ? 1 : 0);
  return targets;
}

}  // namespace earshot
