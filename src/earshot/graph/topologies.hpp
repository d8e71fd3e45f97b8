// Graphs by name: every generator and every published topology.
#pragma once

#include <span>
#include <string_view>

#include "earshot/core/random.hpp"
#include "earshot/core/schema.hpp"
#include "earshot/graph/graph.hpp"
#include "earshot/graph/sources.hpp"

namespace earshot {

/// `graph` components by name. `make` draws all randomness from the stream named (seed, kGraph, trial).
struct GraphComponent {
  Schema schema;
  bool random = false;  // does another trial give another graph?
  Graph (*make)(const Settings&, Stream&, const GraphSources&);
};
std::span<const GraphComponent> graph_components();

/// G(n, p): every pair independently with probability p, in O(nodes + edges); with `connected`, drawn again
/// until it is.
Graph erdos_renyi(std::size_t nodes, double p, bool connected, Stream& stream);

}  // namespace earshot
