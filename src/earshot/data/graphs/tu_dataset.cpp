#include "earshot/data/graphs/tu_dataset.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/data/formats/plain_text.hpp"
#include "earshot/data/formats/table_schema.hpp"

namespace earshot {
namespace {

/// One whole number a line.
std::vector<int> read_numbers(const TextFile& file, std::string_view what, int lowest) {
  TextLines lines(file);
  std::vector<int> numbers;
  for (std::string_view line; lines.next(line);)
    numbers.push_back(static_cast<int>(lines.whole_number(trim(line), what, lowest, INT32_MAX)));
  if (numbers.empty())
    fail(Fault::kData, fmt::format("{}: is empty, expected one {} per line", file.origin, what));
  return numbers;
}

std::vector<int> read_numbers(const TextFile& file, std::string_view what, int lowest, std::size_t expected) {
  std::vector<int> numbers = read_numbers(file, what, lowest);
  if (numbers.size() != expected)
    fail(Fault::kData, fmt::format("{}: {} lines, expected {}", file.origin, numbers.size(), expected));
  return numbers;
}

/// The first node of each graph, and the node count last.
std::vector<std::size_t> graph_starts(const TextFile& file) {
  std::vector<std::size_t> starts;
  std::size_t node = 0;
  for (const int graph : read_numbers(file, "graph", 1)) {
    const auto last = static_cast<int>(starts.size());
    if (graph == last + 1) {
      starts.push_back(node);
    } else if (graph != last) {
      fail(Fault::kData, fmt::format("{}:{}: graph {} after graph {}: the nodes of a graph must be "
                                     "consecutive, and the graphs numbered in order",
                                     file.origin, node + 1, graph, last));
    }
    ++node;
  }
  starts.push_back(node);
  return starts;
}

/// Distinct values in rising order, each with its position.
std::map<int, std::size_t> positions(const std::vector<int>& values) {
  std::map<int, std::size_t> position;
  for (const int value : std::set<int>(values.begin(), values.end()))
    position.emplace(value, position.size());
  return position;
}

struct DirectedEdge {
  NodePair ends;  // as listed, from 0
  int label = 0;
};

std::vector<NodePair> read_pairs(const TextFile& file, std::size_t nodes) {
  TextLines lines(file);
  const auto node = [&](std::string_view text) {
    return static_cast<std::uint32_t>(
        lines.whole_number(trim(text), "node", 1, static_cast<std::int64_t>(nodes)) - 1);
  };
  std::vector<NodePair> pairs;
  for (std::string_view line; lines.next(line);) {
    const std::vector<std::string_view> ends = split(line, ',');
    if (ends.size() != 2) lines.refuse(fmt::format("{} found, expected node, node", in_quotes(line)));
    pairs.push_back({node(ends[0]), node(ends[1])});
    if (pairs.back()[0] == pairs.back()[1]) lines.refuse("an edge from a node to itself");
  }
  return pairs;
}

/// Each edge once, sorted; fails unless every one stands once in each direction under one label.
std::vector<DirectedEdge> merge_directions(std::vector<NodePair> pairs, const std::vector<int>& labels,
                                           const std::string& origin) {
  struct Listed {
    NodePair ends;
    bool reversed;
    int label;
    bool operator<(const Listed& other) const {
      return std::tie(ends, reversed) < std::tie(other.ends, other.reversed);
    }
  };
  std::vector<Listed> listed;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const auto [a, b] = pairs[k];
    listed.push_back({{std::min(a, b), std::max(a, b)}, a > b, labels.empty() ? 0 : labels[k]});
  }
  std::ranges::sort(listed, std::less<>());
  std::vector<DirectedEdge> edges;
  for (std::size_t k = 0; k < listed.size(); k += 2) {
    const Listed& there = listed[k];
    const auto refuse = [&](std::string_view why) {
      fail(Fault::kData, fmt::format("{}: the edge of nodes {} and {} {}", origin, there.ends[0] + 1,
                                     there.ends[1] + 1, why));
    };
    if (there.reversed || k + 1 == listed.size() || listed[k + 1].ends != there.ends ||
        !listed[k + 1].reversed)
      refuse("is not listed exactly once in each direction");
    if (listed[k + 1].label != there.label) refuse("has another label in each direction");
    edges.push_back({there.ends, there.label});
  }
  return edges;
}

/// Sorted edges go to their graphs in turn.
void add_edges(const std::vector<DirectedEdge>& edges, bool labelled, const std::vector<std::size_t>& starts,
               const std::string& origin, std::vector<LabelledGraph>& graphs) {
  std::size_t graph = 0;
  for (const auto& [ends, label] : edges) {
    while (ends[0] >= starts[graph + 1]) ++graph;
    if (ends[1] >= starts[graph + 1])
      fail(Fault::kData,
           fmt::format("{}: the edge of nodes {} and {} joins two graphs", origin, ends[0] + 1, ends[1] + 1));
    const auto start = static_cast<std::uint32_t>(starts[graph]);
    graphs[graph].edges.push_back({ends[0] - start, ends[1] - start});
    if (labelled) graphs[graph].edge_labels.push_back(label);
  }
}

/// Rows of equally many numbers, separated by commas.
struct Attributes {
  std::size_t columns = 0;
  std::vector<double> values;
};

Attributes read_attributes(const TextFile& file, std::size_t nodes) {
  TextLines lines(file);
  Attributes attributes;
  std::size_t rows = 0;
  for (std::string_view line; lines.next(line); ++rows) {
    const std::vector<std::string_view> cells = split(line, ',');
    if (rows == 0) attributes.columns = cells.size();
    if (cells.size() != attributes.columns)
      lines.refuse(fmt::format("{} attributes found, expected {}", cells.size(), attributes.columns));
    for (const std::string_view cell : cells) {
      const auto value = parse_finite(trim(cell));
      if (!value) lines.refuse(fmt::format("attribute {} found, allowed: a finite number", in_quotes(cell)));
      attributes.values.push_back(*value);
    }
  }
  if (rows != nodes) fail(Fault::kData, fmt::format("{}: {} lines, expected {}", file.origin, rows, nodes));
  return attributes;
}

/// One part of the features: `columns` numbers for every node of all graphs.
void add_features(std::vector<std::string> names, const std::vector<double>& values,
                  const std::vector<std::size_t>& starts, GraphsDataset& dataset) {
  const std::size_t before = dataset.feature_names.size();
  const std::size_t added = names.size();
  std::ranges::move(names, std::back_inserter(dataset.feature_names));
  for (std::size_t g = 0; g < dataset.graphs.size(); ++g) {
    LabelledGraph& graph = dataset.graphs[g];
    std::vector<double> joined;
    for (std::size_t node = 0; node < graph.nodes; ++node) {
      const auto old = graph.features.begin() + static_cast<std::ptrdiff_t>(node * before);
      joined.insert(joined.end(), old, old + static_cast<std::ptrdiff_t>(before));
      const auto part = values.begin() + static_cast<std::ptrdiff_t>((starts[g] + node) * added);
      joined.insert(joined.end(), part, part + static_cast<std::ptrdiff_t>(added));
    }
    graph.features = std::move(joined);
  }
}

void add_node_labels(const TextFile& file, const std::vector<std::size_t>& starts, bool as_features,
                     GraphsDataset& dataset) {
  const std::vector<int> labels = read_numbers(file, "node label", INT32_MIN, starts.back());
  for (std::size_t g = 0; g < dataset.graphs.size(); ++g)
    dataset.graphs[g].node_labels.assign(labels.begin() + static_cast<std::ptrdiff_t>(starts[g]),
                                         labels.begin() + static_cast<std::ptrdiff_t>(starts[g + 1]));
  if (!as_features) return;
  const std::map<int, std::size_t> position = positions(labels);
  if (labels.size() > kMostValues / position.size())
    fail(Fault::kData, fmt::format("{}: {} different node labels of {} nodes are too many to become features",
                                   file.origin, position.size(), labels.size()));
  std::vector<double> one_hot(labels.size() * position.size(), 0.0);
  for (std::size_t node = 0; node < labels.size(); ++node)
    one_hot[node * position.size() + position.at(labels[node])] = 1;
  std::vector<std::string> names;
  for (const auto& [value, index] : position) names.push_back(fmt::format("node label {}", value));
  add_features(std::move(names), one_hot, starts, dataset);
}

void add_attributes(const TextFile& file, const std::vector<std::size_t>& starts, GraphsDataset& dataset) {
  const Attributes attributes = read_attributes(file, starts.back());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < attributes.columns; ++i) names.push_back(fmt::format("attribute {}", i));
  add_features(std::move(names), attributes.values, starts, dataset);
}

void add_classes(const TextFile& file, GraphsDataset& dataset) {
  const std::vector<int> labels = read_numbers(file, "graph label", INT32_MIN, dataset.graphs.size());
  const std::map<int, std::size_t> position = positions(labels);
  for (const auto& [value, index] : position) dataset.classes.push_back(std::to_string(value));
  for (std::size_t g = 0; g < labels.size(); ++g)
    dataset.graphs[g].label = static_cast<int>(position.at(labels[g]));
}

}  // namespace

GraphsDataset read_tu_dataset(const std::string& name, const TuFiles& files, TuFeatures features) {
  const std::vector<std::size_t> starts = graph_starts(files.graph_indicator);
  GraphsDataset dataset;
  dataset.name = name;
  dataset.graphs.resize(starts.size() - 1);
  for (std::size_t g = 0; g < dataset.graphs.size(); ++g) dataset.graphs[g].nodes = starts[g + 1] - starts[g];
  add_classes(files.graph_labels, dataset);
  std::vector<NodePair> pairs = read_pairs(files.adjacency, starts.back());
  std::vector<int> edge_labels;
  if (files.edge_labels)
    edge_labels = read_numbers(*files.edge_labels, "edge label", INT32_MIN, pairs.size());
  add_edges(merge_directions(std::move(pairs), edge_labels, files.adjacency.origin),
            files.edge_labels.has_value(), starts, files.adjacency.origin, dataset.graphs);
  const bool attributes = features != TuFeatures::kLabels;
  const bool labels = features != TuFeatures::kAttributes;
  if ((labels && !files.node_labels) || (attributes && !files.node_attributes))
    fail(Fault::kConfig, fmt::format("dataset {} has no node {}; choose other features", name,
                                     labels && !files.node_labels ? "labels" : "attributes"));
  if (files.node_labels) add_node_labels(*files.node_labels, starts, labels, dataset);
  if (attributes) add_attributes(*files.node_attributes, starts, dataset);
  check(dataset);
  return dataset;
}

}  // namespace earshot
