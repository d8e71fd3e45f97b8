// What a plan can say about collecting places: check-ins, protocols, and their mechanism.
#pragma once

#include <span>

#include "earshot/core/schema.hpp"

namespace earshot {

/// The `data` component that is check-ins, the `protocol` components that collect places, and their
/// `mechanism`.
std::span<const Schema> place_schemas();

}  // namespace earshot
