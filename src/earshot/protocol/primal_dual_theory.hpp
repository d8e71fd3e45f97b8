// What the theory of ADMM and PDMM asks of a graph and of the losses, so that a run can be warned beforehand.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "earshot/graph/graph.hpp"
#include "earshot/training/learning_task.hpp"

namespace earshot {

/// Dimension, per parameter, of the space of auxiliary variables that no w ever sees, where a random z^(0)
/// hides: 2E - 2N + 1, and 1 more on a bipartite graph (Jonkman, Sherson & Heusdens 2018; Li, Heusdens &
/// Christensen 2020). The graph must be connected.
std::size_t hidden_dimension(const Graph& graph);

/// Bounds of the second derivative of one node's f at one point: m |v|^2 <= v^T H v <= beta |v|^2.
struct Curvature {
  std::optional<double> m;  // 0 when not distinguishable from it; none for models too large to tell
  double beta = 0;
};

/// Of `scale` times the mean loss over the records. Up to 128 parameters by the eigenvalues of a Hessian of
/// central differences; beyond, beta by power iteration, a lower bound.
Curvature loss_curvature(LearningTask& task, std::span<const std::size_t> records,
                         std::span<const double> state, double scale);

}  // namespace earshot
