// Rank correlations: do two quantities order the same things alike?
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace earshot {

/// Rank 1 is the smallest; equal values share the average of their ranks.
std::vector<double> average_ranks(std::span<const double> values);

/// Spearman's rho: Pearson's correlation of the average ranks. Empty when undefined: fewer than two pairs, or
/// all values of one side equal.
std::optional<double> spearman(std::span<const double> x, std::span<const double> y);

/// Kendall's tau-b (corrected for ties); empty as for spearman. Compares all pairs.
std::optional<double> kendall(std::span<const double> x, std::span<const double> y);

}  // namespace earshot
