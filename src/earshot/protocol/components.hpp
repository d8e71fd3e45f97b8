// `protocol` components by name, for plans and `earshot list`.
#pragma once

#include <span>

#include "earshot/core/schema.hpp"

namespace earshot {

std::span<const Schema> protocol_schemas();

}  // namespace earshot
