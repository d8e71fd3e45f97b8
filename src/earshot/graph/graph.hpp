// Who can talk to whom: an undirected simple graph with the names its nodes had in the input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace earshot {

using NodeId = std::uint32_t;
using Edge = std::pair<NodeId, NodeId>;

/// Immutable, in compressed rows; neighbours are sorted. Self-loops and duplicate edges are refused here:
/// whoever reads them from outside decides what they mean.
class Graph {
 public:
  Graph() = default;
  /// `names` is empty (nodes are then called "0", "1", ...) or holds one distinct name per node.
  Graph(std::size_t nodes, std::span<const Edge> edges, std::vector<std::string> names = {});

  std::size_t node_count() const { return offsets_.empty() ? 0 : offsets_.size() - 1; }
  std::size_t edge_count() const { return targets_.size() / 2; }
  std::span<const NodeId> neighbours(NodeId node) const;
  std::size_t degree(NodeId node) const { return neighbours(node).size(); }
  std::size_t max_degree() const;
  bool has_edge(NodeId a, NodeId b) const { return position(a, b).has_value(); }
  /// i such that `other` is the i-th neighbour of `node`.
  std::optional<std::size_t> position(NodeId node, NodeId other) const;

  /// Position of the first directed slot of `node` in 0 .. 2 * edge_count(); slot i of a node is its i-th
  /// neighbour.
  std::size_t first_slot(NodeId node) const { return offsets_[node]; }
  /// Every undirected edge once, smaller id first, sorted.
  std::vector<Edge> edges() const;

  std::string name(NodeId node) const;
  std::optional<NodeId> find(std::string_view name) const;
  /// Throws a usage error naming the nearest spelling when there is no such node.
  NodeId require(std::string_view name) const;

 private:
  void index_names();

  std::vector<std::size_t> offsets_;
  std::vector<NodeId> targets_;
  std::vector<std::string> names_;
  std::vector<NodeId> by_name_;  // node ids in the order of their names
};

}  // namespace earshot
