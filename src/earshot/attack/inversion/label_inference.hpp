// Labels from the gradient of the last layer with parameters: no optimisation, no input needed.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "earshot/attack/inversion/dense_part.hpp"

namespace earshot {

/// With z = W a + b, softmax p and cross-entropy, row c of the mean gradient is
///   (1/B) sum_k (p_kc - [c = y_k]) a_k,   bias: (1/B) sum_k p_kc - lambda_c / B,   lambda_c records of class
/// c. For one record only the true class is negative (iDLG, Zhao, Mopuri & Bilen 2020).
enum class LabelRule {
  kBiasSign,       // one record: the class with the most negative bias gradient
  kInnerProducts,  // one record: the row with negative inner products with all others; three classes or more
  kRowSums,        // one record: the row with the most negative sum; features must not be negative
  kKnownMeanCounts,  // lambda = B (mean p - g): exact when the mean prediction is known
  kBiasCounts,       // lambda = B (1/C - g): an untrained network predicts about 1/C
  kRowSumCounts,     // LLG (Wainakh et al. 2022) on row sums; features must not be negative, and with many
                     // records per class it tells less than guessing
  kColumnMinima      // Yin et al. 2021: the B classes with the most negative entry; distinct labels
};
std::string_view label_rule_name(LabelRule rule);

/// What the attacker knows beside the gradient.
struct LabelEvidence {
  std::span<const double> mean_prediction{};  // over the batch, one number per class; empty: not known
  bool nonnegative_inputs = false;            // of the network, as pixels are
  bool distinct_labels = false;               // every record has a class of its own
};

struct LabelCounts {
  /// Records per class, summing to the batch. With sigmoid outputs: records with target 1, per output.
  std::vector<std::size_t> counts;
  LabelRule rule = LabelRule::kBiasSign;

  /// Every class as often as it was counted, ascending. For softmax.
  std::vector<std::size_t> labels() const;
};

/// Whether the network ends so that a gradient shows labels: in a dense layer or, for one record under
/// softmax, in a convolution with bias whose channels are pooled to the classes, as in SqueezeNet.
bool shows_labels(const Architecture& architecture);

/// The rule that is surest for what is known. Softmax and sigmoid outputs; none for squared error, for a
/// network that ends in something else than shows_labels() names, when nothing the gradient shows tells the
/// labels (zero, not finite, or no bias and features of either sign), or when sigmoid outputs have no bias
/// and several records.
std::optional<LabelCounts> infer_labels(const Architecture& architecture, std::span<const double> gradient,
                                        std::size_t batch, const LabelEvidence& evidence = {});

/// The label of one record under softmax; `nonnegative_features`: the layer's inputs are known not to be
/// negative.
std::optional<LabelCounts> infer_label(const DensePart& gradient, bool nonnegative_features);

/// Whole numbers that are not negative, sum to `total`, and are nearest to the estimates in L2.
std::vector<std::size_t> round_to_counts(std::span<const double> estimates, std::size_t total);

}  // namespace earshot
