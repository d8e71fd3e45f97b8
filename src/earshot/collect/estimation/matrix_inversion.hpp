// The reports' shares taken back through the inverse of the channel, and made a distribution again.
#pragma once

#include <vector>

#include "earshot/collect/estimation/bayesian_update.hpp"

namespace earshot {

enum class SimplexRule { kClipAndNormalise, kNearestPoint };

struct InversionEstimate {
  std::vector<double> raw{};           // unbiased, sum 1 for square channels, some entries negative
  std::vector<double> distribution{};  // after the projection
};

/// theta C = q, in least squares when there are more reports than places. Fails if the channel is singular to
/// working precision: then the reports do not determine the places.
InversionEstimate invert_channel(const ReportBatch& batch, SimplexRule rule);

}  // namespace earshot
