#include "earshot/attack/inversion/dense_part.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {

DensePart dense_part(const PlacedLayer& layer, std::span<const double> flat) {
  const auto& dense = std::get<Dense>(*layer.layer);
  const std::size_t inputs = layer.in.size();
  const auto own = flat.subspan(layer.parameter_offset, layer.parameter_count);
  return {dense.outputs, inputs, own.first(dense.outputs * inputs), own.subspan(dense.outputs * inputs)};
}

std::optional<DensePart> first_dense(const Architecture& architecture, std::span<const double> flat) {
  check_size(architecture, flat, "the vector");
  if (architecture.layers.empty() || !std::holds_alternative<Dense>(architecture.layers.front())) return {};
  return dense_part(place(architecture).front(), flat);
}

std::optional<DensePart> last_dense(const Architecture& architecture, std::span<const double> flat) {
  check_size(architecture, flat, "the vector");
  if (architecture.layers.empty() || !std::holds_alternative<Dense>(architecture.layers.back())) return {};
  return dense_part(place(architecture).back(), flat);
}

void check(const DensePart& part) {
  if (part.outputs == 0 || part.inputs == 0 || part.weights.size() != part.outputs * part.inputs) {
    fail(Fault::kConfig,
         fmt::format("a dense layer of {} outputs and {} inputs needs {} weights, not {}", part.outputs,
                     part.inputs, part.outputs * part.inputs, part.weights.size()));
  }
  if (!part.bias.empty() && part.bias.size() != part.outputs) {
    fail(Fault::kConfig, fmt::format("a dense layer of {} outputs needs {} biases or none, not {}",
                                     part.outputs, part.outputs, part.bias.size()));
  }
}

void check_size(const Architecture& architecture, std::span<const double> flat, const char* what) {
  const std::size_t expected = parameter_count(architecture);
  if (flat.size() == expected) return;
  fail(Fault::kConfig,
       fmt::format("{} has {} numbers, but the network has {} parameters: pass one number per parameter",
                   what, flat.size(), expected));
}

}  // namespace earshot
