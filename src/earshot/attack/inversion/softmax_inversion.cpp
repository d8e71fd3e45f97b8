#include "earshot/attack/inversion/softmax_inversion.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {

std::optional<InvertedRecord> invert_softmax_gradient(std::span<const double> gradient,
                                                      std::size_t input_size, std::size_t class_count,
                                                      SoftmaxInversion kind) {
  const std::size_t weights = input_size * class_count;
  if (gradient.size() != weights + class_count) {
    fail(Fault::kConfig, fmt::format("softmax regression of {} inputs and {} classes has {} parameters, but "
                                     "the gradient has {} numbers",
                                     input_size, class_count, weights + class_count, gradient.size()));
  }
  const DensePart part{class_count, input_size, gradient.first(weights), gradient.subspan(weights)};
  auto found = invert_dense(part, kind);
  if (!found) return std::nullopt;
  // Under noise no entry need be negative; the smallest is still the best guess.
  const auto label = std::min_element(part.bias.begin(), part.bias.end()) - part.bias.begin();
  return InvertedRecord{std::move(found->input), static_cast<std::size_t>(label)};
}

}  // namespace earshot
