#include "earshot/attack/inversion/reconstruction.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "earshot/attack/inversion/closed_form.hpp"
#include "earshot/attack/inversion/label_inference.hpp"
#include "earshot/attack/inversion/local_training.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

bool is_gradient(const Observation& observation) {
  return !observation.local_training && observation.terms.size() == 1 && observation.terms[0].factor != 0;
}
bool is_difference(const Observation& observation) {
  return !observation.local_training && observation.terms.size() == 2 &&
         observation.terms[0].factor == -observation.terms[1].factor && observation.terms[0].factor != 0;
}

/// What was observed, as if the first factor were 1.
std::vector<double> unscaled(const Observation& observation) {
  std::vector<double> values = observation.values;
  for (double& x : values) x /= observation.terms[0].factor;
  return values;
}

std::optional<ExactReconstruction> exact(const Model& model, const Observation& observation,
                                         const Architecture& architecture, double tolerance) {
  const std::vector<double> values = unscaled(observation);
  const Parameters first = observation.terms[0].parameters;
  if (is_gradient(observation))
    return closed_form(architecture, model, first, values, observation.records, {tolerance});
  return closed_form_difference(architecture, model, first, observation.terms[1].parameters, values,
                                observation.records, {tolerance});
}

/// A difference of gradients may be known where the models it was taken at are not.
bool models_known(const Observation& observation) {
  return std::ranges::none_of(observation.terms, [](const GradientTerm& t) { return t.parameters.empty(); });
}

bool has_closed_form(const Observation& observation) {
  return is_gradient(observation) || is_difference(observation);
}

/// The labels a gradient shows; local steps are taken for one gradient.
std::optional<LabelCounts> shown_labels(const Observation& observation, const AttackerKnowledge& knowledge) {
  if (knowledge.architecture == nullptr || is_difference(observation)) return {};
  std::vector<double> values = unscaled(observation);
  if (observation.local_training) {
    const double steps = static_cast<double>(local_steps(*observation.local_training, observation.records));
    for (double& x : values) x /= observation.local_training->rate * steps;
  }
  LabelEvidence evidence;
  evidence.nonnegative_inputs = knowledge.range && knowledge.range->low >= 0;
  return infer_labels(*knowledge.architecture, values, observation.records, evidence);
}

/// Rows that mean these classes: one-hot, or the class itself for one sigmoid output.
std::vector<double> target_rows(const Model& model, std::span<const std::size_t> labels) {
  const std::size_t outputs = model.output_size();
  std::vector<double> rows(labels.size() * outputs);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (outputs == 1)
      rows[i] = static_cast<double>(labels[i]);
    else
      rows[i * outputs + labels[i]] = 1;
  }
  return rows;
}

std::vector<double> inferred_targets(const Model& model, const Observation& observation,
                                     const AttackerKnowledge& knowledge) {
  const std::optional<LabelCounts> counts = shown_labels(observation, knowledge);
  if (!counts)
    fail(Fault::kData,
         "the labels cannot be inferred from this observation: set labels to \"optimised\", \"traversed\" or "
         "\"known\"");
  if (model.loss() == LossKind::kSoftmaxCrossEntropy) return target_rows(model, counts->labels());
  if (model.output_size() != 1)
    fail(Fault::kConfig,
         "several sigmoid outputs tell how many records have each, not which: set labels to "
         "\"optimised\" or \"known\"");
  std::vector<std::size_t> labels(observation.records, 0);
  std::fill_n(labels.begin(), std::min(counts->counts[0], labels.size()), 1);
  return target_rows(model, labels);
}

std::size_t classes_of(const Model& model) {
  if (model.loss() == LossKind::kMeanSquared)
    fail(Fault::kConfig, "the targets of a regression cannot be traversed; set labels to \"known\"");
  return std::max<std::size_t>(model.output_size(), 2);
}

/// Every set of `records` different classes, one after the other.
std::vector<double> candidate_targets(const Model& model, std::size_t records) {
  const std::size_t classes = classes_of(model);
  if (records > classes)
    fail(Fault::kConfig,
         fmt::format("{} records cannot all have different labels out of {} classes: labels are traversed "
                     "on that assumption",
                     records, classes));
  std::vector<double> rows;
  std::vector<std::size_t> labels(records);
  std::iota(labels.begin(), labels.end(), std::size_t{0});
  for (std::size_t candidates = 1;; ++candidates) {
    if (candidates > kMostCandidates)
      fail(Fault::kConfig, fmt::format("there are more than {} sets of labels to traverse", kMostCandidates));
    std::ranges::copy(target_rows(model, labels), std::back_inserter(rows));
    std::size_t place = records;
    while (place > 0 && labels[place - 1] == classes - records + place - 1) --place;
    if (place == 0) return rows;
    ++labels[place - 1];
    for (std::size_t i = place; i < records; ++i) labels[i] = labels[i - 1] + 1;
  }
}

void set_labels(const Model& model, const Observation& observation, const AttackerKnowledge& knowledge,
                LabelSource source, InversionOptions& options) {
  switch (source) {
    case LabelSource::kKnown:
      options.labels = Labels::kKnown;
      options.targets = knowledge.targets;
      return;
    case LabelSource::kInferred:
      options.labels = Labels::kKnown;
      options.targets = inferred_targets(model, observation, knowledge);
      return;
    case LabelSource::kOptimised:
      options.labels = Labels::kOptimised;
      return;
    case LabelSource::kTraversed:
      options.labels = Labels::kTraversed;
      options.targets = candidate_targets(model, observation.records);
      return;
    case LabelSource::kPerClass:
      return;  // every class has a search of its own
  }
}

/// A number that was not sent may have been anything.
void leave_out_zeros(const Observation& observation, std::vector<double>& weights) {
  if (std::ranges::all_of(observation.values, [](double x) { return x == 0; }))
    fail(Fault::kData, "of this gradient no number was sent but zeros");
  if (weights.empty()) weights.assign(observation.values.size(), 1);
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (observation.values[i] == 0) weights[i] = 0;
}

InversionOptions search_options(const Model& model, const Observation& observation,
                                const AttackerKnowledge& knowledge, const AttackOptions& options) {
  InversionOptions search = options.inversion;
  set_labels(model, observation, knowledge, options.labels, search);
  if (options.in_range) {
    if (!knowledge.range) fail(Fault::kConfig, "no range of the records' numbers is known to keep to");
    search.box = knowledge.range;
  }
  if (options.moments_weight > 0) {
    if (!knowledge.moments) fail(Fault::kConfig, "no mean and deviation of the records are known");
    search.prior.moments = knowledge.moments;
    search.prior.moments->weight = options.moments_weight;
  }
  if (!options.layer_weights.empty()) {
    if (knowledge.architecture == nullptr)
      fail(Fault::kConfig, "layers can be weighted only in a network that can be looked into");
    search.matching.weights = layer_weights(*knowledge.architecture, options.layer_weights);
  }
  if (knowledge.pruned) leave_out_zeros(observation, search.matching.weights);
  if (search.start == Start::kGiven) {
    if (options.labels == LabelSource::kPerClass)
      fail(Fault::kConfig, "records sought class by class start at random, not at a given batch");
    const bool settled = search.labels == Labels::kKnown;
    search.given =
        knowledge.similar(settled ? std::span<const double>(search.targets) : std::span<const double>());
  }
  const MatchingKind kind = search.matching.kind;
  if (kind != MatchingKind::kSquared && kind != MatchingKind::kCosine) {
    if (!(knowledge.noise_scale > 0))
      fail(Fault::kConfig,
           fmt::format("matching \"{}\" needs the scale of the noise, which is not known: set "
                       "noise_scale, or match \"squared\" or \"cosine\"",
                       kMatchingNames[static_cast<std::size_t>(kind)]));
    search.matching.scale = knowledge.noise_scale;
  }
  return search;
}

std::string search_route(const Model& model, const AttackerKnowledge& knowledge,
                         const AttackOptions& options) {
  const auto name = [](const auto& names, auto value) { return names[static_cast<std::size_t>(value)]; };
  const auto* first_order = std::get_if<FirstOrderOptions>(&options.inversion.descent);
  const bool adam = first_order != nullptr && first_order->rule == StepRule::kAdam;
  const std::string note = model.pullback_note();
  return fmt::format("search ({}{}, {} labels, {}{}{})",
                     name(kMatchingNames, options.inversion.matching.kind),
                     knowledge.pruned ? " without zeros" : "", name(kLabelSourceNames, options.labels),
                     first_order == nullptr ? "lbfgs"
                     : adam                 ? "adam"
                                            : "gradient",
                     note.empty() ? "" : "; ", note);
}

/// What one of the records would have had to add, if the others had added nothing.
Observation as_if_alone(const Observation& observation) {
  if (observation.local_training && observation.records > 1)
    fail(Fault::kConfig,
         "local steps on several records cannot be sought record by record: set labels to \"optimised\", "
         "\"traversed\" or \"known\"");
  Observation alone = observation;
  for (GradientTerm& term : alone.terms) term.factor /= static_cast<double>(observation.records);
  alone.records = 1;
  return alone;
}

/// Puts the searches of single records together, those that match best first.
Inversion joined(std::vector<Inversion> searches, std::size_t records) {
  std::vector<std::size_t> order(searches.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t k) { return searches[k].value; });
  order.resize(records);
  Inversion out;
  out.chosen = searches[order[0]].chosen + order[0] * searches[order[0]].restarts.size();
  for (const std::size_t k : order) {
    std::ranges::copy(searches[k].inputs, std::back_inserter(out.inputs));
    std::ranges::copy(searches[k].targets, std::back_inserter(out.targets));
    std::ranges::copy(searches[k].start, std::back_inserter(out.start));
    out.value += searches[k].value / static_cast<double>(records);
    out.distance += searches[k].distance / static_cast<double>(records);
  }
  for (std::size_t k = 0; k < searches.size(); ++k) {
    out.seconds += searches[k].seconds;
    for (RestartReport& report : searches[k].restarts) {
      report.candidate = k;
      out.restarts.push_back(std::move(report));
    }
  }
  return out;
}

/// One record of every class, each by itself (the script released with Yu 2026 attacks batches in this way).
Inversion invert_per_class(const Model& model, const Observation& observation,
                           const AttackerKnowledge& knowledge, InversionOptions options,
                           const OnSearchStep& on_step) {
  const std::size_t classes = classes_of(model);
  if (observation.records > classes)
    fail(Fault::kConfig,
         fmt::format("{} records are more than one of each of {} classes", observation.records, classes));
  const Observation alone = as_if_alone(observation);
  options.labels = Labels::kKnown;
  std::vector<Inversion> searches;
  for (std::size_t c = 0; c < classes; ++c) {
    options.targets = target_rows(model, {{c}});
    searches.push_back(invert(model, knowledge.input, alone, options, on_step));
  }
  return joined(std::move(searches), observation.records);
}

/// Of several records, those that units of the first layer agree on.
std::optional<Reconstruction> agreed(const Observation& observation, const DensePart& part) {
  auto inputs = agreed_records(part, observation.records);
  if (!inputs) return {};
  Reconstruction out;
  out.inputs = std::move(*inputs);
  out.route = models_known(observation) ? "units that see one record, not exact"
                                        : "units that see one record, not verified";
  return out;
}

/// The ratio at the first layer, whatever it is worth.
std::optional<Reconstruction> ratio(const Model& model, const Observation& observation,
                                    const AttackerKnowledge& knowledge, DenseFit fit) {
  const std::vector<double> values = unscaled(observation);
  const auto part = first_dense(*knowledge.architecture, values);
  if (!part || part->bias.empty()) return {};
  if (observation.records > 1) return agreed(observation, *part);
  std::optional<DenseInput> shown = invert_dense(*part, fit);
  if (!shown) return {};
  Reconstruction out;
  out.inputs = std::move(shown->input);
  out.route = models_known(observation) ? "first dense layer, not exact" : "first dense layer, not verified";
  if (const auto labels = shown_labels(observation, knowledge);
      labels && model.loss() == LossKind::kSoftmaxCrossEntropy)
    out.targets = target_rows(model, labels->labels());
  return out;
}

}  // namespace

std::optional<Reconstruction> reconstruct(const Model& model, const Observation& observation,
                                          const AttackerKnowledge& knowledge, const AttackOptions& options,
                                          const OnSearchStep& on_step) {
  const bool closed =
      options.closed_forms && knowledge.architecture != nullptr && has_closed_form(observation);
  if (closed && !models_known(observation)) return ratio(model, observation, knowledge, options.fit);
  if (!models_known(observation)) return {};
  if (closed) {
    if (auto found = exact(model, observation, *knowledge.architecture, options.tolerance)) {
      return Reconstruction{std::move(found->inputs), std::move(found->targets), found->route,
                            found->residual,          found->clones.size(),      {}};
    }
  }
  if (!options.search) return closed ? ratio(model, observation, knowledge, options.fit) : std::nullopt;
  const InversionOptions search = search_options(model, observation, knowledge, options);
  Inversion found = options.labels == LabelSource::kPerClass
                        ? invert_per_class(model, observation, knowledge, search, on_step)
                        : invert(model, knowledge.input, observation, search, on_step);
  Reconstruction out;
  out.inputs = found.inputs;
  out.targets = found.targets;
  out.route = search_route(model, knowledge, options);
  out.search = std::move(found);
  return out;
}

}  // namespace earshot
