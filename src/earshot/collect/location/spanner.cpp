#include "earshot/collect/location/spanner.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Ways along a grid are as long as the distance but for rounding.
constexpr double kRounding = 1e-12;

class EdgeGraph {
 public:
  explicit EdgeGraph(const Distances& metric) : metric_(metric), neighbours_(metric.inputs) {}

  void add(const PlacePair& edge) {
    neighbours_[edge.first].push_back(edge.second);
    neighbours_[edge.second].push_back(edge.first);
  }

  /// The shortest ways from one place (Dijkstra), as far as `limit`; infinite beyond.
  std::vector<double> ways(std::size_t from, double limit) const {
    std::vector<double> way(neighbours_.size(), kInfinity);
    using Entry = std::pair<double, std::size_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    way[from] = 0;
    open.emplace(0, from);
    while (!open.empty()) {
      const auto [length, at] = open.top();
      open.pop();
      if (length > way[at]) continue;
      for (const std::size_t next : neighbours_[at]) {
        const double longer = length + metric_(at, next);
        if (longer >= way[next] || longer > limit) continue;
        way[next] = longer;
        open.emplace(longer, next);
      }
    }
    return way;
  }

 private:
  const Distances& metric_;
  std::vector<std::vector<std::size_t>> neighbours_;
};

}  // namespace

std::vector<PlacePair> greedy_spanner(const Distances& metric, double dilation) {
  if (!(dilation >= 1)) fail(Fault::kConfig, "the dilation of a spanner must be at least 1");
  std::vector<PlacePair> pairs;
  for (std::size_t x = 0; x < metric.inputs; ++x)
    for (std::size_t z = x + 1; z < metric.inputs; ++z) pairs.emplace_back(x, z);
  std::ranges::stable_sort(pairs, {}, [&](const PlacePair& p) { return metric(p.first, p.second); });
  EdgeGraph graph(metric);
  std::vector<PlacePair> edges;
  for (const PlacePair& pair : pairs) {
    const double allowed = dilation * metric(pair.first, pair.second) * (1 + kRounding);
    if (graph.ways(pair.first, allowed)[pair.second] <= allowed) continue;
    graph.add(pair);
    edges.push_back(pair);
  }
  return edges;
}

double spanner_dilation(const Distances& metric, const std::vector<PlacePair>& edges) {
  EdgeGraph graph(metric);
  for (const PlacePair& edge : edges) graph.add(edge);
  double worst = 1;
  for (std::size_t x = 0; x < metric.inputs; ++x) {
    const std::vector<double> way = graph.ways(x, kInfinity);
    for (std::size_t z = 0; z < metric.inputs; ++z)
      if (metric(x, z) > 0) worst = std::max(worst, way[z] / metric(x, z));
  }
  return worst;
}

}  // namespace earshot
