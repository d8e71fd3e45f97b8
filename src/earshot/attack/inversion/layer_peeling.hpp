// A chain of dense layers, unrolled from a layer whose input is known back to the record.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "earshot/attack/inversion/dense_inversion.hpp"

namespace earshot {

/// One dense layer of a chain, and the activation that made its input; none for the first, and for layers
/// that follow each other directly.
struct ChainLayer {
  PlacedLayer place;
  std::optional<ActivationKind> activation;
};

/// The network as dense layers with at most one activation between them (dropout is off in a gradient and
/// skipped). Empty for any other network, and for GELU, whose slope its value does not tell.
/// `architecture` must outlive the result.
std::vector<ChainLayer> dense_chain(const Architecture& architecture);
std::vector<ChainLayer> dense_chain(const Architecture&&) = delete;

/// f'(u) from f(u). Not for GELU.
double slope_at_value(ActivationKind kind, double value);

/// Biswas 2024, Theorem 6.14, for one record: knowing what layer `from` saw and the derivative by what it
/// said, the derivative by what the layer before said is slope * W^T d, and its weight gradient is that times
/// its own input. So back to the record. The thesis divides by one entry of the derivative, here all share in
/// a least-squares fit; it has ReLU, here any activation whose value tells its slope. (Its proof names the
/// node of the derivative wrongly: it is the receiving one.) None when a layer is dead: every slope, or the
/// whole derivative, is zero.
std::optional<std::vector<double>> peel(std::span<const ChainLayer> chain, std::span<const double> parameters,
                                        std::span<const double> gradient, std::size_t from,
                                        const DenseInput& known);

}  // namespace earshot
