// The metrics by name, for `earshot list`.
#pragma once

#include <span>

#include "earshot/core/schema.hpp"

namespace earshot {

std::span<const Schema> metric_schemas();

}  // namespace earshot
