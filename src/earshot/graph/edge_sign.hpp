// The sign of an edge at one of its ends.
#pragma once

#include "earshot/graph/graph.hpp"

namespace earshot {

/// B_{i|j} of the constraint B_{i|j} w_i + B_{j|i} w_j = 0: +1 for i < j, -1 for i > j.
inline double edge_sign(NodeId node, NodeId neighbour) {
  return node < neighbour ? 1 : -1;
}

}  // namespace earshot
