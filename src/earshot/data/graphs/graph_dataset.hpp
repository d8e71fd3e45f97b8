// Graphs to learn from: one graph whose nodes have classes, or many graphs with a class each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "earshot/data/formats/text_lines.hpp"
#include "earshot/data/graphs/sparse_features.hpp"

namespace earshot {

/// An undirected edge, the smaller node first.
using NodePair = std::array<std::uint32_t, 2>;

/// How a file lists pairs of nodes: below a header, one pair per line.
struct PairFormat {
  std::string_view header;
  char separator = ',';
  std::string_view expected;  // a line, in words
};
/// The pairs as listed. Every node must be below `nodes`.
std::vector<NodePair> read_pairs(const TextFile& file, const PairFormat& format, std::size_t nodes);

/// Edges sorted, each once, without loops; and what was left out to get there.
struct UndirectedEdges {
  std::vector<NodePair> edges;
  std::size_t self_loops = 0;
  std::size_t repeats = 0;  // listed again, in either direction
};
/// Forgets the direction of the pairs. Every node must be below `nodes`.
UndirectedEdges undirected(std::vector<NodePair> pairs, std::size_t nodes);

/// Which nodes are trained on, which tuned on, which tested on. Disjoint; the rest is unlabelled background.
struct NodeSplit {
  std::vector<std::size_t> train;
  std::vector<std::size_t> validation;
  std::vector<std::size_t> test;
};

inline constexpr int kNoLabel = -1;

/// One graph. Node i has features row i and label i.
struct NodeDataset {
  std::string name;
  std::size_t nodes = 0;
  std::vector<NodePair> edges;  // sorted, smaller node first, no loops, none twice
  SparseFeatures features;
  std::vector<int> labels;  // class index, or kNoLabel
  std::vector<std::string> classes;
  std::optional<NodeSplit> split;
  std::size_t self_loops = 0;  // in the files, left out here
  std::size_t repeats = 0;     // edges listed more than once in the files
  std::string note;            // what a user must know before trusting results on it; empty: nothing
};

/// Fails unless the parts fit together as NodeDataset promises.
void check(const NodeDataset& dataset);

std::vector<std::size_t> degrees(std::size_t nodes, std::span<const NodePair> edges);
std::size_t isolated_nodes(const NodeDataset& dataset);

/// The chosen nodes, renumbered in the order given, with the edges among them; the split keeps those chosen.
/// No node may be chosen twice.
NodeDataset induced_subgraph(const NodeDataset& dataset, std::span<const std::size_t> chosen);

/// One of many graphs. Node i has row i of `features`: feature_names.size() numbers of the dataset.
struct LabelledGraph {
  std::size_t nodes = 0;
  std::vector<NodePair> edges;   // as in NodeDataset
  std::vector<int> edge_labels;  // one per edge, or empty
  std::vector<int> node_labels;  // one per node, or empty
  std::vector<double> features;  // nodes x features, row-major
  int label = kNoLabel;          // class index
};

struct GraphsDataset {
  std::string name;
  std::vector<std::string> feature_names;
  std::vector<LabelledGraph> graphs;
  std::vector<std::string> classes;
  std::string note;
};

/// Fails unless the parts fit together as GraphsDataset promises.
void check(const GraphsDataset& dataset);

}  // namespace earshot
