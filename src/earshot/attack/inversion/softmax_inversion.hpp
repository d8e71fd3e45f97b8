// Closed-form inversion of the gradient of softmax regression on one record.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace earshot {

struct InvertedRecord {
  std::vector<double> input;
  std::size_t label = 0;
};

enum class SoftmaxInversion { kLargestBias, kRankOne };

/// With z = M x + b and one record, dL/dM_k = (p_k - 1[k=y]) x and dL/db_k = p_k - 1[k=y], so x = dL/dM_k /
/// dL/db_k for any k. kLargestBias takes the k with the largest |dL/db_k|; kRankOne takes the best rank-one
/// fit of [dL/dM, dL/db], which averages noise over all classes. The label is the class with the most
/// negative bias gradient. Empty when every bias gradient vanishes (a perfectly fitted record reveals
/// nothing) or the gradient is not finite.
std::optional<InvertedRecord> invert_softmax_gradient(std::span<const double> gradient,
                                                      std::size_t input_size, std::size_t class_count,
                                                      SoftmaxInversion kind);

}  // namespace earshot
