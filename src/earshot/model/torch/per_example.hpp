// Sums of clipped per-example gradients without per-example gradients.
#pragma once

#include <cstddef>
#include <span>

#include "earshot/model/model.hpp"
#include "earshot/model/torch/network.hpp"

namespace earshot {

/// Evaluation::clipped_sums for problem `index`; `norms` may be empty. Adds to `report`.
///
/// Where rows are kept apart by dense, convolution and frozen batch norm layers, a row's norm follows from
/// the layers' inputs and output gradients (ghost clipping: Li et al. 2022; Bu et al. 2022 for convolutions),
/// and so does the weighted sum. Otherwise one backward pass per row.
template <class Real>
void clip_rows(const TorchNetwork& network, const Problems<Real>& problems, std::size_t index, double bound,
               std::span<Real> norms, std::span<Real> out, ClippingReport& report);

}  // namespace earshot
