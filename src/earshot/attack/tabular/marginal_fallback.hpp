// An attacker who knows public rows need not believe searches that contradict one another.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "earshot/attack/tabular/ensemble.hpp"

namespace earshot {

/// The entropy of each column in the public rows, on the scale of PooledTable::entropy: of the categories'
/// shares over log K, and of a normal distribution with the numbers' deviation.
std::vector<double> marginal_entropies(const TableEncoder& encoder, const NumericTable& features,
                                       std::span<const std::size_t> public_rows);

/// The pooled cells, but the likeliest cell of the public rows wherever the members disagree more than those
/// rows do: there the searches say less about the cell than its column says by itself. Not part of TabLeak,
/// which under much noise is right less often than a constant guess.
std::vector<double> with_marginals(const TableEncoder& encoder, const PooledTable& pooled,
                                   const NumericTable& features, std::span<const std::size_t> public_rows);

}  // namespace earshot
