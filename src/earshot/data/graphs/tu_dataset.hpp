// The text format of TUDataset (Morris et al. 2020): many graphs as one block-diagonal graph.
#pragma once

#include <optional>
#include <string>

#include "earshot/data/formats/text_lines.hpp"
#include "earshot/data/graphs/graph_dataset.hpp"

namespace earshot {

/// Files DS_A, DS_graph_indicator, ... of the format; nodes and graphs count from 1 in them.
struct TuFiles {
  TextFile adjacency;
  TextFile graph_indicator;
  TextFile graph_labels;
  std::optional<TextFile> node_labels;
  std::optional<TextFile> node_attributes;
  std::optional<TextFile> edge_labels;
};

/// What becomes a feature of a node: its label as one of k, its attributes, or the one and then the other.
enum class TuFeatures { kLabels, kAttributes, kBoth };

/// Strict: every edge is listed once in each direction, within one graph, with the same label; the nodes of a
/// graph are consecutive. Classes are the distinct graph labels in rising order.
GraphsDataset read_tu_dataset(const std::string& name, const TuFiles& files, TuFeatures features);

}  // namespace earshot
