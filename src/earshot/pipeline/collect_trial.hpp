// A trial of local collection: train encoders, release the test records under noise, compare methods.
#pragma once

#include <filesystem>

#include "earshot/collect/records.hpp"
#include "earshot/core/json.hpp"
#include "earshot/pipeline/stage.hpp"

namespace earshot {

/// Whether the cell's protocol collects records; such a cell has no graph and nobody to overhear.
bool collects(const Cell& cell);

CollectionData load_collection(const Choice& data, const std::filesystem::path& directory);

/// Tables "methods", "losses", "dimensions", "training" (the adaptive method's, which reports show of every
/// setting) and, where encoders are trained, "epochs" and "task".
Json run_collect_trial(const Cell& cell, const TrialAddress& address, const CollectionData& data);
TableColumns collect_columns(const Cell& cell);

}  // namespace earshot
