// Rows of A + I as the graph layers walk them, and the adjacency values of one problem.
#pragma once

#include <cstddef>

#include "earshot/model/native/layer.hpp"

namespace earshot {

/// Entries of A + I: row after row, in each the edges of the pattern and then the node itself. So edge e of
/// row i is entry e + i.
inline std::size_t entry_count(const GraphPattern& graph) {
  return graph.edges() + graph.nodes;
}

/// visit(entry, column) for every entry of row i of A + I; the last is the node itself.
template <class Visit>
void for_each_entry(const GraphPattern& graph, std::size_t i, Visit visit) {
  for (std::size_t edge = graph.row_starts[i]; edge < graph.row_starts[i + 1]; ++edge)
    visit(edge + i, static_cast<std::size_t>(graph.columns[edge]));
  visit(graph.row_starts[i + 1] + i, i);
}

/// Entries of A + I of one problem: soft adjacency on the edges (1 when none is given), 1 on the diagonal.
template <class Real>
void fill_adjacency(const Call<Real>& call, std::size_t problem, Real* entries) {
  const GraphPattern& graph = *call.graph;
  const Real* values = call.adjacency.data == nullptr ? nullptr : call.adjacency.of(problem);
  for (std::size_t i = 0; i < graph.nodes; ++i) {
    for (std::size_t edge = graph.row_starts[i]; edge < graph.row_starts[i + 1]; ++edge)
      entries[edge + i] = values == nullptr ? Real(1) : values[edge];
    entries[graph.row_starts[i + 1] + i] = 1;
  }
}

/// Problems with different adjacency values: 1 when all share one set.
template <class Real>
std::size_t adjacency_sets(const Call<Real>& call) {
  return call.adjacency.data == nullptr || call.adjacency.stride == 0 ? 1 : call.count;
}

}  // namespace earshot
