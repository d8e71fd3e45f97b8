// Closed-form inversion of the gradient of softmax regression on one record.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "earshot/attack/inversion/dense_inversion.hpp"

namespace earshot {

struct InvertedRecord {
  std::vector<double> input;
  std::size_t label = 0;
};

using SoftmaxInversion = DenseFit;

/// Softmax regression is one dense layer: the input by invert_dense, the label by the most negative bias
/// gradient. Empty when every bias gradient vanishes (a perfectly fitted record reveals nothing) or the
/// gradient is not finite.
std::optional<InvertedRecord> invert_softmax_gradient(std::span<const double> gradient,
                                                      std::size_t input_size, std::size_t class_count,
                                                      SoftmaxInversion kind);

}  // namespace earshot
