#include "earshot/data/graphs/graph_dataset.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/data/formats/plain_text.hpp"

namespace earshot {
namespace {

void check_edges(std::size_t nodes, std::span<const NodePair> edges) {
  for (std::size_t k = 0; k < edges.size(); ++k) {
    const auto& [a, b] = edges[k];
    if (a >= b || b >= nodes)
      fail(Fault::kData, fmt::format("edge {}-{} of {} nodes: the smaller node comes first", a, b, nodes));
    if (k > 0 && edges[k - 1] >= edges[k])
      fail(Fault::kData, fmt::format("edge {}-{} is listed twice or out of order", a, b));
  }
}

void check_label(int label, std::size_t classes) {
  if (label != kNoLabel && (label < 0 || static_cast<std::size_t>(label) >= classes))
    fail(Fault::kData, fmt::format("class {} of {} classes", label, classes));
}

void check_part(std::string_view part, std::span<const std::size_t> chosen, std::vector<bool>& taken,
                const NodeDataset& dataset) {
  for (const std::size_t node : chosen) {
    if (node >= dataset.nodes)
      fail(Fault::kData, fmt::format("{} node {} of {} nodes", part, node, dataset.nodes));
    if (taken[node])
      fail(Fault::kData,
           fmt::format("{} node {} is in the split twice; a node may be in one part only", part, node));
    taken[node] = true;
  }
}

void check_split(const NodeDataset& dataset) {
  if (!dataset.split) return;
  std::vector<bool> taken(dataset.nodes, false);
  check_part("training", dataset.split->train, taken, dataset);
  check_part("validation", dataset.split->validation, taken, dataset);
  check_part("test", dataset.split->test, taken, dataset);
}

void check_graph(const LabelledGraph& graph, const GraphsDataset& dataset) {
  check_edges(graph.nodes, graph.edges);
  check_label(graph.label, dataset.classes.size());
  if (!graph.edge_labels.empty() && graph.edge_labels.size() != graph.edges.size())
    fail(Fault::kData,
         fmt::format("{} edge labels for {} edges", graph.edge_labels.size(), graph.edges.size()));
  if (!graph.node_labels.empty() && graph.node_labels.size() != graph.nodes)
    fail(Fault::kData, fmt::format("{} node labels for {} nodes", graph.node_labels.size(), graph.nodes));
  if (graph.features.size() != graph.nodes * dataset.feature_names.size())
    fail(Fault::kData, fmt::format("{} feature values for {} nodes with {} features", graph.features.size(),
                                   graph.nodes, dataset.feature_names.size()));
  if (!std::ranges::all_of(graph.features, [](double value) { return std::isfinite(value); }))
    fail(Fault::kData, "a feature is not a finite number");
}

constexpr std::size_t kNotChosen = static_cast<std::size_t>(-1);

/// The nodes of one part of a split that were chosen, by their new numbers.
std::vector<std::size_t> renumbered(std::span<const std::size_t> part,
                                    std::span<const std::size_t> new_number) {
  std::vector<std::size_t> kept;
  for (const std::size_t node : part) {
    if (new_number[node] != kNotChosen) kept.push_back(new_number[node]);
  }
  return kept;
}

std::vector<std::size_t> new_numbers(std::size_t nodes, std::span<const std::size_t> chosen) {
  std::vector<std::size_t> new_number(nodes, kNotChosen);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i] >= nodes) fail(Fault::kConfig, fmt::format("node {} of {} nodes", chosen[i], nodes));
    if (new_number[chosen[i]] != kNotChosen)
      fail(Fault::kConfig, fmt::format("node {} is chosen twice; choose it once", chosen[i]));
    new_number[chosen[i]] = i;
  }
  return new_number;
}

}  // namespace

std::vector<NodePair> read_pairs(const TextFile& file, const PairFormat& format, std::size_t nodes) {
  TextLines lines(file);
  lines.expect_header(format.header);
  std::vector<NodePair> pairs;
  for (std::string_view line; lines.next(line);) {
    const std::vector<std::string_view> ends = split(line, format.separator);
    if (ends.size() != 2)
      lines.refuse(fmt::format("{} found, expected {}", in_quotes(line), format.expected));
    pairs.push_back({lines.node(ends[0], nodes), lines.node(ends[1], nodes)});
  }
  return pairs;
}

UndirectedEdges undirected(std::vector<NodePair> pairs, std::size_t nodes) {
  UndirectedEdges result;
  for (auto& [a, b] : pairs) {
    if (a >= nodes || b >= nodes)
      fail(Fault::kData, fmt::format("edge {}-{} of a graph with {} nodes", a, b, nodes));
    if (a > b) std::swap(a, b);
  }
  result.self_loops = std::erase_if(pairs, [](const NodePair& pair) { return pair[0] == pair[1]; });
  std::ranges::sort(pairs);
  const auto repeated = std::unique(pairs.begin(), pairs.end());
  result.repeats = static_cast<std::size_t>(pairs.end() - repeated);
  pairs.erase(repeated, pairs.end());
  result.edges = std::move(pairs);
  return result;
}

void check(const NodeDataset& dataset) {
  with_context("dataset " + dataset.name, [&] {
    check_edges(dataset.nodes, dataset.edges);
    if (dataset.features.rows() != dataset.nodes)
      fail(Fault::kData,
           fmt::format("{} rows of features for {} nodes", dataset.features.rows(), dataset.nodes));
    if (dataset.labels.size() != dataset.nodes)
      fail(Fault::kData, fmt::format("{} labels for {} nodes", dataset.labels.size(), dataset.nodes));
    for (const int label : dataset.labels) check_label(label, dataset.classes.size());
    check_split(dataset);
  });
}

void check(const GraphsDataset& dataset) {
  for (std::size_t i = 0; i < dataset.graphs.size(); ++i)
    with_context(fmt::format("dataset {}: graph {}", dataset.name, i + 1),
                 [&] { check_graph(dataset.graphs[i], dataset); });
}

std::vector<std::size_t> degrees(std::size_t nodes, std::span<const NodePair> edges) {
  std::vector<std::size_t> degree(nodes, 0);
  for (const auto& [a, b] : edges) {
    ++degree.at(a);
    ++degree.at(b);
  }
  return degree;
}

std::size_t isolated_nodes(const NodeDataset& dataset) {
  return static_cast<std::size_t>(std::ranges::count(degrees(dataset.nodes, dataset.edges), 0U));
}

NodeDataset induced_subgraph(const NodeDataset& dataset, std::span<const std::size_t> chosen) {
  const std::vector<std::size_t> new_number = new_numbers(dataset.nodes, chosen);
  NodeDataset part;
  part.name = dataset.name;
  part.nodes = chosen.size();
  part.classes = dataset.classes;
  part.note = dataset.note;
  part.features = take_rows(dataset.features, chosen);
  for (const std::size_t node : chosen) part.labels.push_back(dataset.labels[node]);
  for (const auto& [a, b] : dataset.edges) {
    if (new_number[a] == kNotChosen || new_number[b] == kNotChosen) continue;
    const auto [low, high] = std::minmax(new_number[a], new_number[b]);
    part.edges.push_back({static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(high)});
  }
  std::ranges::sort(part.edges);
  if (dataset.split)
    part.split = NodeSplit{renumbered(dataset.split->train, new_number),
                           renumbered(dataset.split->validation, new_number),
                           renumbered(dataset.split->test, new_number)};
  return part;
}

}  // namespace earshot
