// The graph datasets earshot knows by name, read from the catalogued files.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "earshot/core/schema.hpp"
#include "earshot/data/graphs/graph_dataset.hpp"
#include "earshot/data/graphs/molecule_table.hpp"

namespace earshot {

/// One graph with classes of nodes, by name (role "node_data"). `load` reads from disk every time: keep what
/// it returns.
struct NodeDatasetComponent {
  Schema schema;
  NodeDataset (*load)(const Settings&, const std::filesystem::path& directory);
};
/// cora, citeseer, dblp, cornell, cornell_geom_gcn, facebook_page_page.
std::span<const NodeDatasetComponent> node_dataset_components();

/// Many graphs with a class each, by name (role "graphs_data").
struct GraphsDatasetComponent {
  Schema schema;
  GraphsDataset (*load)(const Settings&, const std::filesystem::path& directory);
};
/// proteins, mutag, bbbp, tox21, clintox.
std::span<const GraphsDatasetComponent> graphs_dataset_components();

/// "bbbp", "tox21" or "clintox": every task, and the rows that were refused.
MoleculeTable load_molecules(std::string_view name, const std::filesystem::path& directory);

}  // namespace earshot
