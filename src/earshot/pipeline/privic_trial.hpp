// A trial of PRIVIC: simulated people report in cycles, and the collector's estimate is held against the
// truth.
#pragma once

#include "earshot/collect/privic/reporters.hpp"
#include "earshot/pipeline/place_trial.hpp"

namespace earshot {

/// Who would report. Fails where shares or places are impossible.
Reporters privic_reporters(const Cell& cell, const TrialAddress& address, const PlaceData& data);
Json run_privic_trial(const Cell& cell, const TrialAddress& address, const PlaceData& data);
TableColumns privic_columns();

}  // namespace earshot
