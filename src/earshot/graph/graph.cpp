#include "earshot/graph/graph.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/text.hpp"

namespace earshot {
namespace {

void check_edges(std::size_t nodes, std::span<const Edge> edges) {
  if (nodes > std::numeric_limits<NodeId>::max()) fail(Fault::kNumeric, "a graph of more than 2^32-1 nodes");
  for (const auto& [a, b] : edges) {
    if (a >= nodes || b >= nodes)
      fail(Fault::kInternal, fmt::format("edge {}-{} in a graph of {} nodes", a, b, nodes));
    if (a == b) fail(Fault::kInternal, fmt::format("self-loop at node {}", a));
  }
}

/// "0", "1", ...: how an unnamed node is written; "007" names no node.
std::optional<NodeId> parse_index(std::string_view name, std::size_t nodes) {
  NodeId value = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), value);
  if (error != std::errc() || end != name.data() + name.size() || value >= nodes) return std::nullopt;
  if (name.size() > 1 && name.front() == '0') return std::nullopt;
  return value;
}

}  // namespace

Graph::Graph(std::size_t nodes, std::span<const Edge> edges, std::vector<std::string> names)
    : offsets_(nodes + 1, 0), targets_(2 * edges.size()), names_(std::move(names)) {
  check_edges(nodes, edges);
  for (const auto& [a, b] : edges) {
    ++offsets_[a + 1];
    ++offsets_[b + 1];
  }
  std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
  std::vector<std::size_t> next(offsets_.begin(), offsets_.end() - 1);
  for (const auto& [a, b] : edges) {
    targets_[next[a]++] = b;
    targets_[next[b]++] = a;
  }
  for (NodeId node = 0; node < nodes; ++node) {
    const auto first = targets_.begin() + static_cast<std::ptrdiff_t>(offsets_[node]);
    const auto last = targets_.begin() + static_cast<std::ptrdiff_t>(offsets_[node + 1]);
    std::sort(first, last);
    if (std::adjacent_find(first, last) != last)
      fail(Fault::kInternal, fmt::format("an edge of node {} is listed twice", node));
  }
  index_names();
}

void Graph::index_names() {
  if (names_.empty()) return;
  if (names_.size() != node_count())
    fail(Fault::kInternal, fmt::format("{} names for {} nodes", names_.size(), node_count()));
  by_name_.resize(names_.size());
  std::iota(by_name_.begin(), by_name_.end(), NodeId{0});
  std::sort(by_name_.begin(), by_name_.end(), [&](NodeId a, NodeId b) { return names_[a] < names_[b]; });
  for (std::size_t i = 1; i < by_name_.size(); ++i) {
    if (names_[by_name_[i - 1]] == names_[by_name_[i]])
      fail(Fault::kInternal, fmt::format("two nodes are named \"{}\"", names_[by_name_[i]]));
  }
}

std::span<const NodeId> Graph::neighbours(NodeId node) const {
  return std::span(targets_).subspan(offsets_[node], offsets_[node + 1] - offsets_[node]);
}

std::size_t Graph::max_degree() const {
  std::size_t largest = 0;
  for (NodeId node = 0; node < node_count(); ++node) largest = std::max(largest, degree(node));
  return largest;
}

std::optional<std::size_t> Graph::position(NodeId node, NodeId other) const {
  const auto row = neighbours(node);
  const auto found = std::lower_bound(row.begin(), row.end(), other);
  if (found == row.end() || *found != other) return std::nullopt;
  return static_cast<std::size_t>(found - row.begin());
}

std::vector<Edge> Graph::edges() const {
  std::vector<Edge> all;
  all.reserve(edge_count());
  for (NodeId node = 0; node < node_count(); ++node) {
    for (const NodeId other : neighbours(node)) {
      if (node < other) all.emplace_back(node, other);
    }
  }
  return all;
}

std::string Graph::name(NodeId node) const {
  return names_.empty() ? std::to_string(node) : names_[node];
}

std::optional<NodeId> Graph::find(std::string_view name) const {
  if (names_.empty()) return parse_index(name, node_count());
  const auto found = std::lower_bound(by_name_.begin(), by_name_.end(), name,
                                      [&](NodeId node, std::string_view key) { return names_[node] < key; });
  if (found == by_name_.end() || names_[*found] != name) return std::nullopt;
  return *found;
}

NodeId Graph::require(std::string_view name) const {
  if (const auto node = find(name)) return *node;
  if (names_.empty())
    fail(Fault::kUsage, fmt::format("no node \"{}\" in this graph; allowed: 0..{}", name,
                                    static_cast<std::ptrdiff_t>(node_count()) - 1));
  constexpr std::size_t kListed = 40;  // a list longer than this helps nobody
  if (names_.size() <= kListed)
    fail(Fault::kUsage, fmt::format("no node \"{}\" in this graph; {}", name, suggest(name, names_)));
  const auto nearest = nearest_spelling(name, names_);
  fail(Fault::kUsage, fmt::format("no node \"{}\" among the {} of this graph{}", name, names_.size(),
                                  nearest ? fmt::format("; did you mean \"{}\"?", *nearest) : std::string()));
}

}  // namespace earshot
