// The labels of a batch of rows, where the attacker is not told them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "earshot/attack/inversion/observation.hpp"
#include "earshot/data/tables/table_encoder.hpp"

namespace earshot {

/// How many records have each class, from the last layer's part of the observed gradient: lambda_c = B (mean
/// p_c - g_c), rounded to whole numbers, with the mean prediction of the network on records drawn as searches
/// start (the label recovery of Vero et al. 2023 estimates it in the same way). Records of a batch have no
/// order, so counts are all there is to know: the targets (records x classes) have the classes ascending. A
/// change of parameters by local training is taken for the mean gradient of its steps. None where the
/// gradient does not tell: no dense last layer, no bias and features of either sign, or no classes.
std::optional<std::vector<double>> guessed_targets(const Architecture& architecture, const Model& model,
                                                   const TableEncoder& encoder,
                                                   const Observation& observation, std::uint64_t seed = 1);

}  // namespace earshot
