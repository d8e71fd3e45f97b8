// What a plan can say about collecting: tables, protocols and the noise on encoded records.
#pragma once

#include <span>

#include "earshot/core/schema.hpp"

namespace earshot {

/// `data` components that are tables, the `protocol` components that collect, and their `mechanism`.
std::span<const Schema> collect_schemas();
/// Whether the data component of that name is a table.
bool is_table(std::string_view name);

}  // namespace earshot
