#include "earshot/attack/inversion/label_inference.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <variant>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/finite.hpp"

namespace earshot {
namespace {

using Estimates = std::vector<double>;

std::size_t smallest(std::span<const double> numbers) {
  return static_cast<std::size_t>(std::min_element(numbers.begin(), numbers.end()) - numbers.begin());
}

LabelCounts one_label(std::size_t classes, std::size_t label, LabelRule rule) {
  LabelCounts found{std::vector<std::size_t>(classes, 0), rule};
  found.counts[label] = 1;
  return found;
}

Estimates row_sums(const DensePart& gradient) {
  const Eigen::VectorXd sums = gradient.matrix().rowwise().sum();
  return {sums.begin(), sums.end()};
}

/// The row with the most negative inner products; between equals, the longest: the true class carries the
/// whole probability of the others.
std::optional<std::size_t> odd_row(const DensePart& gradient) {
  const Eigen::MatrixXd products = gradient.matrix() * gradient.matrix().transpose();
  const auto negatives = (products.array() < 0).cast<int>().rowwise().sum().eval();
  Eigen::Index best = 0;
  for (Eigen::Index c = 1; c < products.rows(); ++c) {
    if (negatives[c] > negatives[best] ||
        (negatives[c] == negatives[best] && products(c, c) > products(best, best))) {
      best = c;
    }
  }
  if (negatives[best] == 0) return std::nullopt;
  return static_cast<std::size_t>(best);
}

/// Whether what enters the last layer cannot be negative.
bool nonnegative_features(const Architecture& architecture, bool nonnegative_inputs) {
  for (auto layer = architecture.layers.rbegin() + 1; layer != architecture.layers.rend(); ++layer) {
    if (std::holds_alternative<Dropout>(*layer) || std::holds_alternative<Pool>(*layer)) continue;
    const auto* activate = std::get_if<Activate>(&*layer);
    if (activate == nullptr) return false;
    const ActivationKind kind = activate->kind;
    if (kind == ActivationKind::kRelu || kind == ActivationKind::kSigmoid ||
        kind == ActivationKind::kSoftplus) {
      return true;
    }
    return false;
  }
  return nonnegative_inputs;
}

/// LLG (Wainakh et al. 2022): every class with a negative row sum r_c is in the batch once; each record of a
/// class pulls its sum down by about the same m, so the lowest sums are the classes that come again.
std::vector<std::size_t> llg(Estimates sums, std::size_t batch) {
  std::vector<std::size_t> counts(sums.size(), 0);
  const double classes = static_cast<double>(sums.size());
  double negative = 0;
  for (const double r : sums) negative += std::min(r, 0.0);
  const double impact = negative * (1 + 1 / classes) / static_cast<double>(batch);
  std::size_t left = batch;
  std::vector<std::size_t> order(sums.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return sums[a] < sums[b]; });
  for (const std::size_t c : order) {
    if (left == 0 || sums[c] >= 0) break;
    ++counts[c], --left;
    sums[c] -= impact;
  }
  for (; left > 0; --left) {
    const std::size_t c = smallest(sums);
    ++counts[c];
    sums[c] -= impact;
  }
  return counts;
}

LabelCounts distinct(const DensePart& gradient, std::size_t batch) {
  const Eigen::VectorXd minima = gradient.matrix().rowwise().minCoeff();
  std::vector<std::size_t> order(gradient.outputs);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return minima[static_cast<Eigen::Index>(a)] < minima[static_cast<Eigen::Index>(b)];
  });
  LabelCounts found{std::vector<std::size_t>(gradient.outputs, 0), LabelRule::kColumnMinima};
  for (std::size_t k = 0; k < batch; ++k) found.counts[order[k]] = 1;
  return found;
}

/// B (mean prediction - g): the number of ones in each column of the targets. `share` undoes the loss's own
/// factor.
Estimates count_estimates(std::span<const double> bias, std::span<const double> mean_prediction,
                          double uninformed, double share, std::size_t batch) {
  Estimates counts(bias.size());
  for (std::size_t c = 0; c < counts.size(); ++c) {
    const double mean = mean_prediction.empty() ? uninformed : mean_prediction[c];
    counts[c] = static_cast<double>(batch) * (mean - share * bias[c]);
  }
  return counts;
}

std::optional<LabelCounts> softmax_batch(const DensePart& gradient, std::size_t batch, double share,
                                         bool nonnegative, const LabelEvidence& evidence) {
  if (!gradient.bias.empty() && !evidence.mean_prediction.empty()) {
    return LabelCounts{
        round_to_counts(count_estimates(gradient.bias, evidence.mean_prediction, 0, share, batch), batch),
        LabelRule::kKnownMeanCounts};
  }
  if (evidence.distinct_labels && nonnegative) return distinct(gradient, batch);
  if (!gradient.bias.empty()) {
    const double uninformed = 1 / static_cast<double>(gradient.outputs);
    return LabelCounts{round_to_counts(count_estimates(gradient.bias, {}, uninformed, share, batch), batch),
                       LabelRule::kBiasCounts};
  }
  if (!nonnegative) return std::nullopt;
  return LabelCounts{llg(row_sums(gradient), batch), LabelRule::kRowSumCounts};
}

/// Each output by itself: p_k - q_k is negative exactly for target 1.
std::optional<LabelCounts> sigmoid_counts(const DensePart& gradient, std::size_t batch, double share,
                                          bool nonnegative, const LabelEvidence& evidence) {
  LabelCounts found{std::vector<std::size_t>(gradient.outputs, 0), LabelRule::kBiasSign};
  if (batch == 1) {
    if (gradient.bias.empty() && !nonnegative) return std::nullopt;
    const Estimates sums = row_sums(gradient);
    const std::span<const double> signs = gradient.bias.empty() ? sums : gradient.bias;
    if (gradient.bias.empty()) found.rule = LabelRule::kRowSums;
    std::transform(signs.begin(), signs.end(), found.counts.begin(), [](double g) { return g < 0 ? 1 : 0; });
    return found;
  }
  if (gradient.bias.empty()) return std::nullopt;
  found.rule = evidence.mean_prediction.empty() ? LabelRule::kBiasCounts : LabelRule::kKnownMeanCounts;
  const Estimates counts = count_estimates(gradient.bias, evidence.mean_prediction, 0.5,
                                           share * static_cast<double>(gradient.outputs), batch);
  const double most = static_cast<double>(batch);
  std::transform(counts.begin(), counts.end(), found.counts.begin(), [&](double count) {
    return static_cast<std::size_t>(std::clamp(std::round(count), 0.0, most));
  });
  return found;
}

/// Whether a larger input never makes an output smaller.
bool rises(const Layer& layer) {
  if (const auto* activate = std::get_if<Activate>(&layer)) return activate->kind != ActivationKind::kGelu;
  return std::holds_alternative<Pool>(layer) || std::holds_alternative<Dropout>(layer);
}

/// The convolution with bias whose channels become the outputs, each by itself, as in SqueezeNet: only
/// activations and pooling to one number per channel follow.
std::optional<PlacedLayer> class_maps(const Architecture& architecture) {
  const std::vector<PlacedLayer> layers = place(architecture);
  const auto last = std::find_if(layers.rbegin(), layers.rend(),
                                 [](const PlacedLayer& placed) { return !rises(*placed.layer); });
  if (last == layers.rend()) return std::nullopt;
  const auto* convolve = std::get_if<Convolve>(last->layer);
  const bool own = convolve != nullptr && convolve->bias && layers.back().out.size() == convolve->channels;
  return own ? std::optional(*last) : std::nullopt;
}

/// d loss / d bias of channel c is (p_c - [c = y]) times what the layers above pass on, which is not
/// negative: only the true class can be. Where nothing of it is passed on, nothing shows.
std::optional<LabelCounts> label_of_class_maps(const Architecture& architecture,
                                               std::span<const double> gradient) {
  const auto maps = class_maps(architecture);
  if (!maps || architecture.loss != LossKind::kSoftmaxCrossEntropy) return std::nullopt;
  const std::size_t classes = std::get<Convolve>(*maps->layer).channels;
  const auto bias = gradient.subspan(maps->parameter_offset + maps->parameter_count - classes, classes);
  const std::size_t label = smallest(bias);
  if (!all_finite(bias) || bias[label] >= 0) return std::nullopt;
  return one_label(classes, label, LabelRule::kBiasSign);
}

void check_evidence(const DensePart& gradient, std::size_t batch, const LabelEvidence& evidence) {
  if (batch == 0) fail(Fault::kConfig, "a gradient of no records has no labels: give a batch of at least 1");
  const auto mean = evidence.mean_prediction;
  if (!mean.empty() && mean.size() != gradient.outputs) {
    fail(Fault::kConfig, fmt::format("the mean prediction has {} numbers, but the network has {} outputs",
                                     mean.size(), gradient.outputs));
  }
  if (!all_finite(mean)) fail(Fault::kConfig, "the mean prediction must be finite");
  if (evidence.distinct_labels && batch > gradient.outputs) {
    fail(Fault::kConfig,
         fmt::format("{} records cannot have distinct labels among {} classes", batch, gradient.outputs));
  }
}

}  // namespace

std::string_view label_rule_name(LabelRule rule) {
  switch (rule) {
    case LabelRule::kBiasSign:
      return "sign of the bias gradient";
    case LabelRule::kInnerProducts:
      return "inner products of rows";
    case LabelRule::kRowSums:
      return "sign of row sums";
    case LabelRule::kKnownMeanCounts:
      return "bias gradient and mean prediction";
    case LabelRule::kBiasCounts:
      return "bias gradient";
    case LabelRule::kRowSumCounts:
      return "row sums";
    case LabelRule::kColumnMinima:
      return "most negative entries";
  }
  fail(Fault::kInternal, "a label rule without a name");
}

std::vector<std::size_t> LabelCounts::labels() const {
  std::vector<std::size_t> all;
  for (std::size_t c = 0; c < counts.size(); ++c) all.insert(all.end(), counts[c], c);
  return all;
}

std::vector<std::size_t> round_to_counts(std::span<const double> estimates, std::size_t total) {
  if (estimates.empty() && total > 0) fail(Fault::kConfig, "records cannot be counted over no classes");
  if (!all_finite(estimates)) fail(Fault::kConfig, "estimated counts must be finite");
  // One more of class c costs 2 (n_c - estimate_c) + 1, which rises with n_c: the cheapest each time is best.
  std::vector<std::size_t> counts(estimates.size(), 0);
  Estimates missing(estimates.begin(), estimates.end());
  for (std::size_t k = 0; k < total; ++k) {
    const auto most = std::max_element(missing.begin(), missing.end());
    ++counts[static_cast<std::size_t>(most - missing.begin())];
    *most -= 1;
  }
  return counts;
}

std::optional<LabelCounts> infer_label(const DensePart& gradient, bool nonnegative_features) {
  check(gradient);
  if (!all_finite(gradient.weights) || !all_finite(gradient.bias)) return std::nullopt;
  const std::size_t classes = gradient.outputs;
  if (!gradient.bias.empty()) {
    const std::size_t label = smallest(gradient.bias);
    if (gradient.bias[label] >= 0) return std::nullopt;
    return one_label(classes, label, LabelRule::kBiasSign);
  }
  if (classes > 2) {
    if (const auto row = odd_row(gradient)) return one_label(classes, *row, LabelRule::kInnerProducts);
    return std::nullopt;
  }
  if (!nonnegative_features) return std::nullopt;
  const Estimates sums = row_sums(gradient);
  const std::size_t label = smallest(sums);
  if (sums[label] >= 0) return std::nullopt;
  return one_label(classes, label, LabelRule::kRowSums);
}

bool shows_labels(const Architecture& architecture) {
  if (architecture.layers.empty()) return false;
  return std::holds_alternative<Dense>(architecture.layers.back()) || class_maps(architecture).has_value();
}

std::optional<LabelCounts> infer_labels(const Architecture& architecture, std::span<const double> gradient,
                                        std::size_t batch, const LabelEvidence& evidence) {
  const auto last = last_dense(architecture, gradient);
  if (!last) return batch == 1 ? label_of_class_maps(architecture, gradient) : std::nullopt;
  check_evidence(*last, batch, evidence);
  if (!all_finite(last->weights) || !all_finite(last->bias)) return std::nullopt;
  const bool silent =
      std::all_of(last->weights.begin(), last->weights.end(), [](double g) { return g == 0; }) &&
      std::all_of(last->bias.begin(), last->bias.end(), [](double g) { return g == 0; });
  if (silent) return std::nullopt;
  const double share = architecture.reduction == Reduction::kSum ? 1 / static_cast<double>(batch) : 1;
  const bool nonnegative = nonnegative_features(architecture, evidence.nonnegative_inputs);
  switch (architecture.loss) {
    case LossKind::kSoftmaxCrossEntropy:
      if (batch == 1) return infer_label(*last, nonnegative);
      return softmax_batch(*last, batch, share, nonnegative, evidence);
    case LossKind::kBinaryCrossEntropy:
      return sigmoid_counts(*last, batch, share, nonnegative, evidence);
    case LossKind::kMeanSquared:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace earshot
