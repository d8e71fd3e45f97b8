#include "earshot/graph/edge_list.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/files.hpp"
#include "earshot/graph/spectrum.hpp"
#include "earshot/graph/text_table.hpp"

namespace earshot {
namespace {

/// Digits without leading zero: such names can be ordered by value, "07" and "7" could not be told apart.
bool is_integer(std::string_view name) {
  const bool digits = std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
  return digits && !name.empty() && (name.size() == 1 || name.front() != '0');
}

class EdgeListReader {
 public:
  explicit EdgeListReader(const EdgeListOptions& options) : options_(options) {}

  void read(std::size_t line, const std::vector<std::string_view>& fields) {
    if (fields.size() != 2)
      fail(Fault::kData, fmt::format("expected two node names, found {} field{}", fields.size(),
                                     fields.size() == 1 ? "" : "s"));
    if (report_.listed++ == 0) header_line_ = line;
    const NodeId a = node(fields[0]);
    const NodeId b = node(fields[1]);
    if (a == b) return add_self_loop(fields[0]);
    const Edge edge = std::minmax(a, b);
    const auto [first, added] = seen_.emplace(key(edge), line);
    if (added) {
      edges_.push_back(edge);
      return;
    }
    if (options_.duplicates == OnDuplicate::kError)
      fail(Fault::kData,
           fmt::format("edge {} {} was already listed on line {}", fields[0], fields[1], first->second));
    ++report_.duplicates;
  }

  EdgeList finish(const std::string& origin) && {
    if (edges_.empty()) fail(Fault::kData, fmt::format("{}: holds no edge", origin));
    refuse_header(origin);
    if (std::all_of(names_.begin(), names_.end(), is_integer)) order_by_value();
    const std::size_t nodes = names_.size();
    EdgeList list{Graph(nodes, edges_, std::move(names_)), report_};
    settle_components(list, origin);
    return list;
  }

 private:
  static std::uint64_t key(const Edge& edge) { return (std::uint64_t{edge.first} << 32) | edge.second; }

  NodeId node(std::string_view name) {
    const auto [entry, added] = ids_.try_emplace(std::string(name), static_cast<NodeId>(names_.size()));
    if (added) names_.emplace_back(name);
    return entry->second;
  }

  void add_self_loop(std::string_view name) {
    if (options_.self_loops == OnSelfLoop::kError)
      fail(Fault::kData, fmt::format("node {} is linked to itself", name));
    ++report_.self_loops;
  }

  /// Two words above integers are column titles, not an edge.
  void refuse_header(const std::string& origin) const {
    if (names_.size() < 4 || is_integer(names_[0]) || is_integer(names_[1])) return;
    if (!std::all_of(names_.begin() + 2, names_.end(), is_integer)) return;
    fail(Fault::kData, fmt::format("{}:{}: \"{} {}\" looks like a header; put # in front of it", origin,
                                   header_line_, names_[0], names_[1]));
  }

  void order_by_value() {
    std::vector<NodeId> order(names_.size());
    std::iota(order.begin(), order.end(), NodeId{0});
    std::sort(order.begin(), order.end(), [&](NodeId a, NodeId b) {
      const std::string& left = names_[a];
      const std::string& right = names_[b];
      return left.size() != right.size() ? left.size() < right.size() : left < right;
    });
    std::vector<NodeId> place(order.size());
    std::vector<std::string> sorted(order.size());
    for (NodeId i = 0; i < order.size(); ++i) {
      place[order[i]] = i;
      sorted[i] = std::move(names_[order[i]]);
    }
    names_ = std::move(sorted);
    for (auto& [a, b] : edges_) std::tie(a, b) = std::pair(place[a], place[b]);
  }

  void settle_components(EdgeList& list, const std::string& origin) const {
    const auto components = connected_components(list.graph);
    list.report.components = components.size();
    if (components.size() == 1 || options_.disconnected == OnDisconnected::kKeep) return;
    if (options_.disconnected == OnDisconnected::kError)
      fail(Fault::kData,
           fmt::format("{}: the graph falls into {} parts, the largest of {} of {} nodes; "
                       "set disconnected = \"largest\" to use only that part",
                       origin, components.size(), components.front().size(), list.graph.node_count()));
    Graph largest = induced_subgraph(list.graph, components.front());
    list.report.nodes_dropped = list.graph.node_count() - largest.node_count();
    list.report.edges_dropped = list.graph.edge_count() - largest.edge_count();
    list.graph = std::move(largest);
  }

  EdgeListOptions options_;
  EdgeListReport report_;
  std::size_t header_line_ = 0;
  std::vector<std::string> names_;
  std::vector<Edge> edges_;
  std::unordered_map<std::string, NodeId> ids_;
  std::unordered_map<std::uint64_t, std::size_t> seen_;  // edge -> line it was first listed on
};

}  // namespace

EdgeList parse_edge_list(std::string_view text, const std::string& origin, const EdgeListOptions& options) {
  EdgeListReader reader(options);
  for_each_row(text, origin, [&](std::size_t line, const auto& fields) { reader.read(line, fields); });
  return std::move(reader).finish(origin);
}

EdgeList read_edge_list(const std::filesystem::path& path, const EdgeListOptions& options) {
  return parse_edge_list(read_text(path), path.string(), options);
}

}  // namespace earshot
