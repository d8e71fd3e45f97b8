// The `model` components an experiment can name.
#pragma once

#include <cstddef>
#include <span>

#include "earshot/core/schema.hpp"
#include "earshot/model/architecture.hpp"

namespace earshot {

/// `make` is told the shape of a record and the number of outputs (classes, or numbers to predict).
struct ModelComponent {
  Schema schema;
  Architecture (*make)(const Settings&, const Shape& input, std::size_t outputs);
};
std::span<const ModelComponent> model_components();

}  // namespace earshot
