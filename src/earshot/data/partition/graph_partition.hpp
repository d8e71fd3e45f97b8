// One graph over many clients: each holds some nodes and only the edges among its own.
#pragma once

#include <cstddef>
#include <vector>

#include "earshot/data/graphs/graph_dataset.hpp"
#include "earshot/data/partition/partition.hpp"

namespace earshot {

struct ClientGraphs {
  std::vector<NodeDataset> clients;
  std::size_t cut_edges = 0;  // between nodes of different clients, or of none: nobody holds them
};

/// The induced subgraph of every node's records; divide the graph's nodes as records first.
ClientGraphs client_graphs(const NodeDataset& dataset, const Partition& partition);

}  // namespace earshot
