#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/text.hpp"
#include "earshot/graph/gossip_matrix.hpp"
#include "earshot/graph/text_table.hpp"

namespace earshot {
namespace {

class WeightsReader {
 public:
  explicit WeightsReader(const Graph& graph)
      : graph_(graph), edges_(2 * graph.edge_count()), diagonal_(graph.node_count()) {}

  void read(const std::vector<std::string_view>& fields) {
    if (fields.size() != 3)
      fail(Fault::kData, fmt::format("expected \"node node weight\", found {} fields", fields.size()));
    const NodeId from = node(fields[0]);
    const NodeId to = node(fields[1]);
    std::optional<Rational>& slot = from == to ? diagonal_[from] : edge_slot(from, to);
    if (slot) fail(Fault::kData, fmt::format("the weight of {} {} is given twice", fields[0], fields[1]));
    slot = parse_rational(fields[2]);
  }

  GossipMatrix finish(const std::string& origin) && {
    std::vector<Rational> weights;
    weights.reserve(edges_.size());
    for (NodeId u = 0; u < graph_.node_count(); ++u) {
      for (const NodeId v : graph_.neighbours(u)) {
        const auto& weight = edges_[weights.size()];
        if (!weight)
          fail(Fault::kData, fmt::format("{}: no weight for \"{} {}\"; write 0 if {} ignores {}", origin,
                                         graph_.name(u), graph_.name(v), graph_.name(u), graph_.name(v)));
        weights.push_back(*weight);
      }
    }
    return {graph_, std::move(weights), std::move(diagonal_)};
  }

 private:
  NodeId node(std::string_view name) const {
    try {
      return graph_.require(name);
    } catch (const Error& error) {
      fail(Fault::kData, error.what());
    }
  }

  std::optional<Rational>& edge_slot(NodeId from, NodeId to) {
    const auto position = graph_.position(from, to);
    if (!position)
      fail(Fault::kData,
           fmt::format("{} and {} are not neighbours in the graph", graph_.name(from), graph_.name(to)));
    return edges_[graph_.first_slot(from) + *position];
  }

  const Graph& graph_;
  std::vector<std::optional<Rational>> edges_;
  std::vector<std::optional<Rational>> diagonal_;
};

}  // namespace

GossipMatrix parse_weights(const Graph& graph, std::string_view text, const std::string& origin) {
  WeightsReader reader(graph);
  for_each_row(text, origin, [&](std::size_t, const auto& fields) { reader.read(fields); });
  return std::move(reader).finish(origin);
}

}  // namespace earshot
