// The catalogue by topic; catalogue() joins the parts.
#pragma once

#include <span>

#include "earshot/data/catalogue/catalogue.hpp"

namespace earshot {

std::span<const DatasetEntry> catalogued_images();
std::span<const DatasetEntry> catalogued_tables();
std::span<const DatasetEntry> catalogued_graphs();
std::span<const DatasetEntry> catalogued_places();

}  // namespace earshot
