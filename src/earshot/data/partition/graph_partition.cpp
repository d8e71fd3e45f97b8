#include "earshot/data/partition/graph_partition.hpp"

namespace earshot {

ClientGraphs client_graphs(const NodeDataset& dataset, const Partition& partition) {
  check(partition, dataset.nodes);
  ClientGraphs result;
  result.cut_edges = dataset.edges.size();
  for (const std::vector<std::size_t>& nodes : partition.nodes) {
    result.clients.push_back(induced_subgraph(dataset, nodes));
    result.cut_edges -= result.clients.back().edges.size();
  }
  return result;
}

}  // namespace earshot
