// The Heritage Health Prize as one row per person and year: what was claimed, prescribed and tested, and
// whether a comorbidity was found. As TabLeak's published code (Vero et al. 2023) prepares it.
#pragma once

#include <filesystem>

#include "earshot/data/formats/line_stream.hpp"
#include "earshot/data/tables/tabular_dataset.hpp"

namespace earshot {

struct HealthHeritageFiles {
  LineStream members;
  LineStream claims;
  LineStream drug_counts;
  LineStream lab_counts;
};

/// Rows come by member and year, whatever the order in the files. Eleven numbers, 0 where nothing is on
/// record; of the words of a year's claims the most frequent; age and sex.
TabularDataset read_health_heritage(HealthHeritageFiles files);

/// From the user's own copy in the data directory.
TabularDataset load_health_heritage(const std::filesystem::path& directory);

}  // namespace earshot
