#include "earshot/attack/inversion/closed_form.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "earshot/attack/inversion/dense_inversion.hpp"
#include "earshot/attack/inversion/layer_peeling.hpp"
#include "earshot/attack/inversion/target_recovery.hpp"
#include "earshot/attack/inversion/weight_only.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/finite.hpp"

namespace earshot {
namespace {

double norm(std::span<const double> numbers) {
  return Eigen::Map<const Eigen::VectorXd>(numbers.data(), static_cast<Eigen::Index>(numbers.size()))
      .stableNorm();
}

double relative_distance(std::span<const double> found, std::span<const double> observed) {
  const auto size = static_cast<Eigen::Index>(observed.size());
  const Eigen::Map<const Eigen::VectorXd> a(found.data(), size);
  const Eigen::Map<const Eigen::VectorXd> b(observed.data(), size);
  const double distance = (a - b).stableNorm() / b.stableNorm();
  return std::isfinite(distance) ? distance : std::numeric_limits<double>::infinity();
}

/// Everything a route may use; there is no truth in it.
struct Observation {
  const Architecture& architecture;
  const Model& model;
  Parameters parameters;
  std::span<const double> gradient;
  std::size_t batch;
};

void check_question(const Architecture& architecture, const Model& model, const ClosedFormOptions& options) {
  if (model.parameter_count() != parameter_count(architecture)) {
    fail(Fault::kConfig,
         fmt::format("the model has {} parameters, but the architecture has {}: pass the model "
                     "of this architecture",
                     model.parameter_count(), parameter_count(architecture)));
  }
  if (!(options.tolerance > 0) || !std::isfinite(options.tolerance)) {
    fail(Fault::kConfig, fmt::format("the tolerance must be positive, not {}", options.tolerance));
  }
}

void check_parameters(const Architecture& architecture, Parameters parameters, const char* what) {
  check_size(architecture, parameters, what);
  if (!all_finite(parameters)) fail(Fault::kConfig, fmt::format("{} must be finite", what));
}

/// Nothing to learn from a gradient that is zero or broken.
bool speaks(std::span<const double> gradient) {
  return all_finite(gradient) && norm(gradient) > 0;
}

std::optional<ExactReconstruction> verified(const Observation& seen, std::vector<double> inputs,
                                            const std::string& route, double tolerance) {
  if (!all_finite(inputs)) return std::nullopt;
  auto targets =
      recover_targets(seen.architecture, seen.model, seen.parameters, seen.gradient, inputs, seen.batch);
  if (!targets) return std::nullopt;
  std::vector<double> again(seen.gradient.size());
  seen.model.gradient(seen.parameters, {seen.batch, inputs, targets->targets}, again);
  const double residual = relative_distance(again, seen.gradient);
  if (residual > tolerance) return std::nullopt;
  return ExactReconstruction{
      std::move(inputs), std::move(targets->targets), std::move(targets->labels), route, residual, {}};
}

struct Candidates {
  std::vector<std::vector<double>> inputs;
  std::string route;
};

Candidates by_first_layer(const Observation& seen) {
  Candidates found{{}, "first dense layer"};
  const auto first = first_dense(seen.architecture, seen.gradient);
  if (!first) return found;
  if (auto known = invert_dense(*first, DenseFit::kLargestBias))
    found.inputs.push_back(std::move(known->input));
  return found;
}

/// Peels from the first layer with a bias: the fewer layers, the less rounding.
Candidates by_peeling(const Observation& seen) {
  Candidates found;
  const auto chain = dense_chain(seen.architecture);
  const auto start = std::find_if(chain.begin(), chain.end(), [](const ChainLayer& layer) {
    return std::get<Dense>(*layer.place.layer).bias;
  });
  if (start == chain.end() || start == chain.begin()) return found;
  const auto from = static_cast<std::size_t>(start - chain.begin());
  found.route = fmt::format("layer peeling from {}", start->place.name);
  const auto known = invert_dense(dense_part(start->place, seen.gradient), DenseFit::kLargestBias);
  if (!known) return found;
  if (auto input = peel(chain, seen.parameters, seen.gradient, from, *known)) {
    found.inputs.push_back(std::move(*input));
  }
  return found;
}

Candidates by_weights(const Observation& seen) {
  Candidates found;
  const auto chain = dense_chain(seen.architecture);
  const bool biased = std::any_of(chain.begin(), chain.end(), [](const ChainLayer& layer) {
    return std::get<Dense>(*layer.place.layer).bias;
  });
  if (chain.empty() || biased) return found;
  const std::size_t last = chain.size() - 1;
  found.route =
      last == 0 ? "weights only" : fmt::format("weights of {} and layer peeling", chain[last].place.name);
  for (const DenseInput& known :
       weight_only_inputs(dense_part(chain[last].place, seen.parameters),
                          dense_part(chain[last].place, seen.gradient), seen.architecture.loss)) {
    if (auto input = peel(chain, seen.parameters, seen.gradient, last, known)) {
      found.inputs.push_back(std::move(*input));
    }
  }
  return found;
}

std::optional<ExactReconstruction> one_record(const Observation& seen, double tolerance) {
  for (const auto route : {by_first_layer, by_peeling, by_weights}) {
    Candidates candidates = route(seen);
    std::optional<ExactReconstruction> best;
    for (auto& input : candidates.inputs) {
      auto found = verified(seen, std::move(input), candidates.route, tolerance);
      if (!found) continue;
      if (!best) {
        best = std::move(found);
      } else {
        best->clones.push_back(std::move(found->inputs));
      }
    }
    if (best) return best;
  }
  return std::nullopt;
}

/// Whether ReLU unit h of the first layer is on.
bool active(const DensePart& layer, std::size_t h, std::span<const double> input) {
  const auto row = static_cast<Eigen::Index>(h);
  const Eigen::Map<const Eigen::VectorXd> x(input.data(), static_cast<Eigen::Index>(input.size()));
  return layer.matrix().row(row).dot(x) + layer.bias[h] > 0;
}

/// Units with a gradient that `record` switches on and none of `others` does: they must show this record and
/// no other unit may.
bool seen_alone(const DensePart& layer, const DensePart& gradient, const RevealedRecord& record,
                std::span<const RevealedRecord> others) {
  for (std::size_t h = 0; h < layer.outputs; ++h) {
    const bool shows = std::find(record.rows.begin(), record.rows.end(), h) != record.rows.end();
    const bool alone = active(layer, h, record.input) &&
                       std::none_of(others.begin(), others.end(), [&](const RevealedRecord& other) {
                         return active(layer, h, other.input);
                       });
    if (gradient.bias[h] != 0 && shows != alone) return false;
  }
  return true;
}

/// The records of the batch among what rows show: those that two units agree on are certain, and one more may
/// be shown by a single unit, if the network's own units would show just that.
std::vector<std::vector<RevealedRecord>> batches(const Observation& seen) {
  const auto layer = first_dense(seen.architecture, seen.parameters);
  const auto gradient = first_dense(seen.architecture, seen.gradient);
  if (!layer) return {};
  const auto shown = revealed_records(*gradient);
  const auto sure = static_cast<std::size_t>(std::count_if(
      shown.begin(), shown.end(), [](const RevealedRecord& record) { return record.rows.size() > 1; }));
  const auto first = [&](std::size_t count) {
    return std::vector<RevealedRecord>(shown.begin(), shown.begin() + static_cast<std::ptrdiff_t>(count));
  };
  if (sure == seen.batch) return {first(sure)};
  const auto* activate =
      seen.architecture.layers.size() > 1 ? std::get_if<Activate>(&seen.architecture.layers[1]) : nullptr;
  if (sure + 1 != seen.batch || activate == nullptr || activate->kind != ActivationKind::kRelu) return {};
  std::vector<std::vector<RevealedRecord>> found;
  const auto known = first(sure);
  for (std::size_t last = sure; last < shown.size(); ++last) {
    if (!seen_alone(*layer, *gradient, shown[last], known)) continue;
    found.push_back(known);
    found.back().push_back(shown[last]);
  }
  return found;
}

std::optional<ExactReconstruction> several_records(const Observation& seen, double tolerance) {
  for (const auto& records : batches(seen)) {
    std::vector<double> inputs;
    for (const RevealedRecord& record : records) {
      inputs.insert(inputs.end(), record.input.begin(), record.input.end());
    }
    if (auto found = verified(seen, std::move(inputs), "units that see one record", tolerance)) return found;
  }
  return std::nullopt;
}

/// The gradient difference of known records, as a function of their targets.
class DifferenceOfTargets {
 public:
  DifferenceOfTargets(const Model& model, Parameters first, Parameters second, std::span<const double> inputs,
                      std::size_t batch)
      : model_(model), first_(first), second_(second), inputs_(inputs), batch_(batch), there_(first.size()) {}

  Eigen::VectorXd operator()(std::span<const double> targets) {
    Eigen::VectorXd here(static_cast<Eigen::Index>(first_.size()));
    model_.gradient(first_, {batch_, inputs_, targets}, {here.data(), first_.size()});
    model_.gradient(second_, {batch_, inputs_, targets}, there_);
    return here - Eigen::Map<const Eigen::VectorXd>(there_.data(), here.size());
  }

 private:
  const Model& model_;
  Parameters first_;
  Parameters second_;
  std::span<const double> inputs_;
  std::size_t batch_;
  std::vector<double> there_;
};

/// The class of least residual; no class when a second one fits as exactly.
void traverse_classes(DifferenceOfTargets& difference, std::span<const double> observed, std::size_t classes,
                      double tolerance, ExactReconstruction& found) {
  std::vector<double> residuals(classes);
  for (std::size_t c = 0; c < classes; ++c) {
    std::vector<double> target(classes, 0.0);
    target[c] = 1;
    const Eigen::VectorXd again = difference(target);
    residuals[c] = relative_distance({again.data(), observed.size()}, observed);
  }
  const auto best = std::min_element(residuals.begin(), residuals.end());
  found.residual = *best;
  if (std::count_if(residuals.begin(), residuals.end(), [&](double r) { return r <= tolerance; }) != 1)
    return;
  found.targets.assign(classes, 0.0);
  found.targets[static_cast<std::size_t>(best - residuals.begin())] = 1;
}

/// Gradients are affine in the targets: least squares. A softmax target is taken to sum to 1, so that its
/// first class follows from the others.
class TargetFit {
 public:
  TargetFit(DifferenceOfTargets& difference, std::size_t batch, std::size_t outputs, bool shares)
      : difference_(difference), batch_(batch), outputs_(outputs), shares_(shares), base_(batch * outputs) {
    for (std::size_t s = 0; shares && s < batch; ++s) base_[s * outputs] = 1;
  }

  void fit(std::span<const double> observed, ExactReconstruction& found) {
    const Eigen::VectorXd base = difference_(base_);
    const Eigen::MatrixXd effects = effects_beside(base);
    const Eigen::VectorXd rest = Eigen::Map<const Eigen::VectorXd>(observed.data(), base.size()) - base;
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> solver(effects);
    const double rounding = 1e-12 * base.stableNorm();
    const bool told = solver.rank() == effects.cols() && effects.colwise().norm().minCoeff() > rounding;
    std::vector<double> targets = base_;
    if (told) move(targets, solver.solve(rest));
    const Eigen::VectorXd again = difference_(targets);
    found.residual = relative_distance({again.data(), observed.size()}, observed);
    if (told) found.targets = std::move(targets);
  }

 private:
  std::size_t free_outputs() const { return shares_ ? outputs_ - 1 : outputs_; }

  void move(std::vector<double>& targets, const Eigen::VectorXd& by) const {
    for (Eigen::Index column = 0; column < by.size(); ++column) {
      const auto record = static_cast<std::size_t>(column) / free_outputs();
      const auto output = static_cast<std::size_t>(column) % free_outputs() + (shares_ ? 1 : 0);
      targets[record * outputs_ + output] += by[column];
      if (shares_) targets[record * outputs_] -= by[column];
    }
  }

  Eigen::MatrixXd effects_beside(const Eigen::VectorXd& base) {
    const auto count = static_cast<Eigen::Index>(batch_ * free_outputs());
    Eigen::MatrixXd effects(base.size(), count);
    for (Eigen::Index column = 0; column < count; ++column) {
      std::vector<double> targets = base_;
      move(targets, Eigen::VectorXd::Unit(count, column));
      effects.col(column) = difference_(targets) - base;
    }
    return effects;
  }

  DifferenceOfTargets& difference_;
  std::size_t batch_;
  std::size_t outputs_;
  bool shares_;
  std::vector<double> base_;
};

/// The inputs a difference shows.
std::optional<std::vector<double>> shown_by_difference(const DensePart& layer, std::size_t batch) {
  if (batch > 1) return agreed_records(layer, batch);
  auto known = invert_dense(layer, DenseFit::kLargestBias);
  if (!known || !all_finite(known->input)) return std::nullopt;
  return std::move(known->input);
}

}  // namespace

std::optional<ExactReconstruction> closed_form(const Architecture& architecture, const Model& model,
                                               Parameters parameters, std::span<const double> gradient,
                                               std::size_t batch, const ClosedFormOptions& options) {
  check_question(architecture, model, options);
  check_parameters(architecture, parameters, "the parameter vector");
  check_size(architecture, gradient, "the gradient");
  if (batch == 0) fail(Fault::kConfig, "a gradient has at least one record: give a batch of at least 1");
  if (!speaks(gradient) || is_graph_network(architecture)) return std::nullopt;
  const Observation seen{architecture, model, parameters, gradient, batch};
  return batch == 1 ? one_record(seen, options.tolerance) : several_records(seen, options.tolerance);
}

std::optional<ExactReconstruction> closed_form_difference(
    const Architecture& architecture, const Model& model, Parameters first, Parameters second,
    std::span<const double> difference, std::size_t batch, const ClosedFormOptions& options) {
  check_question(architecture, model, options);
  check_parameters(architecture, first, "the first parameter vector");
  check_parameters(architecture, second, "the second parameter vector");
  check_size(architecture, difference, "the difference of gradients");
  if (batch == 0) fail(Fault::kConfig, "a difference has at least one record: give a batch of at least 1");
  if (!speaks(difference) || is_graph_network(architecture)) return std::nullopt;
  const auto layer = first_dense(architecture, difference);
  if (!layer) return std::nullopt;
  auto shown = shown_by_difference(*layer, batch);
  if (!shown) return std::nullopt;

  ExactReconstruction found;
  found.inputs = std::move(*shown);
  found.route =
      batch == 1 ? "difference at the first dense layer" : "units that see one record, in a difference";
  DifferenceOfTargets of_targets(model, first, second, found.inputs, batch);
  const std::size_t outputs = model.output_size();
  const bool classes = architecture.loss == LossKind::kSoftmaxCrossEntropy;
  if (classes && batch == 1) {
    traverse_classes(of_targets, difference, outputs, options.tolerance, found);
  } else {
    TargetFit(of_targets, batch, outputs, classes).fit(difference, found);
  }
  if (found.residual > options.tolerance) return std::nullopt;
  snap_targets(found.targets);
  found.labels =
      found.targets.empty() ? std::nullopt : hard_labels(architecture.loss, found.targets, outputs);
  return found;
}

}  // namespace earshot
