// Distributions over finitely many places: checks on entry, the uniform one, distances, projections to the
// simplex.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace earshot {

/// Fails unless `values` are `size` finite numbers of at least 0 that add up to 1 within 1e-9. `name` opens
/// the message.
void check_distribution(std::span<const double> values, std::size_t size, std::string_view name);
/// Fails unless `counts` are `size` finite numbers of at least 0, some of them positive.
void check_counts(std::span<const double> counts, std::size_t size, std::string_view name);

std::vector<double> uniform_distribution(std::size_t size);
/// Counts, or any weights, divided by their sum.
std::vector<double> normalised(std::span<const double> counts);

/// Half the L1 distance.
double total_variation(std::span<const double> a, std::span<const double> b);

/// Negative entries become 0 and the rest is divided by its sum; uniform when nothing positive is left.
std::vector<double> clip_and_normalise(std::span<const double> values);
/// The nearest distribution in Euclidean distance (Held, Wolfe & Crowder 1974).
std::vector<double> project_to_simplex(std::span<const double> values);

}  // namespace earshot
