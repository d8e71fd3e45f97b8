// Does gossip with W reach a consensus? Decided on the support of W by integer arithmetic, not by
// eigenvalues.
#pragma once

#include "earshot/graph/gossip_matrix.hpp"

namespace earshot {

/// Sums that do not fit 128 bits are taken for zero within this.
inline constexpr double kWeightTolerance = 1e-12;

/// -1, 0 or 1: the sign of W_uu.
int self_weight_sign(const GossipMatrix& matrix, NodeId node);
bool is_non_negative(const GossipMatrix& matrix);
bool rows_sum_to_one(const GossipMatrix& matrix);

/// For a non-negative W whose rows sum to one: is there a single closed class, and is it aperiodic? Exactly
/// then the eigenvalue 1 is simple and all others are smaller in modulus (Seneta 1981, section 4.2).
bool support_mixes(const GossipMatrix& matrix);

}  // namespace earshot
