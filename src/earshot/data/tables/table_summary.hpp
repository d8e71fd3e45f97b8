// A table in a few figures: what `earshot data describe` shows.
#pragma once

#include "earshot/core/json.hpp"
#include "earshot/data/tables/tabular_dataset.hpp"

namespace earshot {

/// Rows, parts, clients; per feature its kind, range, mean and deviation or its categories with their counts;
/// the target with its range or its classes with their shares.
Json summarise(const TabularDataset& dataset);

}  // namespace earshot
