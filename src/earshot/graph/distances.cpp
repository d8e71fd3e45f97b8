#include <algorithm>
#include <numeric>

#include "earshot/core/error.hpp"
#include "earshot/core/parallel.hpp"
#include "earshot/graph/spectrum.hpp"

namespace earshot {
namespace {

constexpr std::size_t kUnreached = static_cast<std::size_t>(-1);

/// Breadth-first search with buffers that live across sources.
class Search {
 public:
  explicit Search(const Graph& graph) : graph_(graph), hops_(graph.node_count()) {
    queue_.reserve(graph.node_count());
  }

  /// Visits everything reachable from `source`; returns the eccentricity within its component.
  std::size_t run(NodeId source) {
    std::fill(hops_.begin(), hops_.end(), kUnreached);
    queue_.assign(1, source);
    hops_[source] = 0;
    for (std::size_t head = 0; head < queue_.size(); ++head) {
      const NodeId node = queue_[head];
      for (const NodeId next : graph_.neighbours(node)) {
        if (hops_[next] != kUnreached) continue;
        hops_[next] = hops_[node] + 1;
        queue_.push_back(next);
      }
    }
    return hops_[queue_.back()];
  }

  std::span<const std::size_t> hops() const { return hops_; }
  /// Reached nodes, nearest first.
  std::span<const NodeId> reached() const { return queue_; }

 private:
  const Graph& graph_;
  std::vector<std::size_t> hops_;
  std::vector<NodeId> queue_;
};

}  // namespace

std::vector<std::optional<std::size_t>> hop_distances(const Graph& graph, NodeId source) {
  Search search(graph);
  search.run(source);
  std::vector<std::optional<std::size_t>> distances(graph.node_count());
  for (const NodeId node : search.reached()) distances[node] = search.hops()[node];
  return distances;
}

bool is_connected(const Graph& graph) {
  if (graph.node_count() == 0) return true;
  Search search(graph);
  search.run(0);
  return search.reached().size() == graph.node_count();
}

std::optional<std::size_t> diameter(const Graph& graph) {
  const std::size_t nodes = graph.node_count();
  if (nodes == 0 || !is_connected(graph)) return std::nullopt;
  constexpr std::size_t kSourcesPerBlock = 64;  // one set of buffers serves this many searches
  std::vector<std::size_t> longest((nodes + kSourcesPerBlock - 1) / kSourcesPerBlock, 0);
  parallel_for(longest.size(), [&](std::size_t block) {
    Search search(graph);
    const std::size_t end = std::min(nodes, (block + 1) * kSourcesPerBlock);
    for (std::size_t source = block * kSourcesPerBlock; source < end; ++source)
      longest[block] = std::max(longest[block], search.run(static_cast<NodeId>(source)));
  });
  return *std::max_element(longest.begin(), longest.end());
}

std::vector<std::vector<NodeId>> connected_components(const Graph& graph) {
  std::vector<std::vector<NodeId>> components;
  std::vector<bool> seen(graph.node_count(), false);
  for (NodeId start = 0; start < graph.node_count(); ++start) {
    if (seen[start]) continue;
    std::vector<NodeId> members{start};
    seen[start] = true;
    for (std::size_t head = 0; head < members.size(); ++head) {
      for (const NodeId next : graph.neighbours(members[head])) {
        if (seen[next]) continue;
        seen[next] = true;
        members.push_back(next);
      }
    }
    std::sort(members.begin(), members.end());
    components.push_back(std::move(members));
  }
  std::stable_sort(components.begin(), components.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return components;
}

Graph induced_subgraph(const Graph& graph, std::vector<NodeId> nodes) {
  std::vector<std::size_t> place(graph.node_count(), kUnreached);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i] >= place.size()) fail(Fault::kInternal, "a subgraph of nodes the graph does not have");
    place[nodes[i]] = i;
    names.push_back(graph.name(nodes[i]));
  }
  std::vector<Edge> edges;
  for (const auto& [a, b] : graph.edges()) {
    if (place[a] != kUnreached && place[b] != kUnreached)
      edges.emplace_back(static_cast<NodeId>(place[a]), static_cast<NodeId>(place[b]));
  }
  return {nodes.size(), edges, std::move(names)};
}

}  // namespace earshot
