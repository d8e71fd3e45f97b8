#include "earshot/graph/centrality.hpp"

#include <algorithm>
#include <cmath>

#include "earshot/core/error.hpp"
#include "earshot/core/parallel.hpp"
#include "earshot/graph/eigensolve.hpp"

namespace earshot {
namespace {

/// One source of Brandes' algorithm at a time, on buffers that live across sources.
class PathCounter {
 public:
  explicit PathCounter(const Graph& graph)
      : graph_(graph),
        hops_(graph.node_count()),
        paths_(graph.node_count()),
        dependency_(graph.node_count()),
        score_(graph.node_count(), 0) {
    order_.reserve(graph.node_count());
  }

  void add_source(NodeId source) {
    count_paths(source);
    for (const NodeId node : order_) dependency_[node] = 0;
    // Brandes 2001, theorem 6: farthest first, each node hands its dependency to its predecessors.
    for (std::size_t i = order_.size(); i-- > 1;) {
      const NodeId node = order_[i];
      const double share = (1 + dependency_[node]) / paths_[node];
      for (const NodeId before : graph_.neighbours(node)) {
        if (hops_[before] + 1 == hops_[node]) dependency_[before] += paths_[before] * share;
      }
      score_[node] += dependency_[node];
    }
  }

  std::span<const double> score() const { return score_; }

 private:
  static constexpr std::int64_t kUnseen = -2;  // one more is still no distance

  void count_paths(NodeId source) {
    std::fill(hops_.begin(), hops_.end(), kUnseen);
    std::fill(paths_.begin(), paths_.end(), 0.0);
    order_.assign(1, source);
    hops_[source] = 0;
    paths_[source] = 1;
    for (std::size_t head = 0; head < order_.size(); ++head) {
      const NodeId node = order_[head];
      for (const NodeId next : graph_.neighbours(node)) {
        if (hops_[next] == kUnseen) {
          hops_[next] = hops_[node] + 1;
          order_.push_back(next);
        }
        if (hops_[next] == hops_[node] + 1) paths_[next] += paths_[node];
      }
    }
  }

  const Graph& graph_;
  std::vector<std::int64_t> hops_;
  std::vector<double> paths_;
  std::vector<double> dependency_;
  std::vector<double> score_;
  std::vector<NodeId> order_;
};

}  // namespace

std::vector<double> degree_centrality(const Graph& graph) {
  std::vector<double> centrality(graph.node_count(), 0);
  if (graph.node_count() < 2) return centrality;
  const auto others = static_cast<double>(graph.node_count() - 1);
  for (NodeId node = 0; node < centrality.size(); ++node)
    centrality[node] = static_cast<double>(graph.degree(node)) / others;
  return centrality;
}

std::vector<double> eigenvector_centrality(const Graph& graph) {
  if (graph.node_count() == 0) return {};
  const auto size = static_cast<Eigen::Index>(graph.node_count());
  std::vector<Eigen::Triplet<double>> entries;
  for (const auto& [a, b] : graph.edges()) {
    entries.emplace_back(a, b, 1);
    entries.emplace_back(b, a, 1);
  }
  SparseMatrix adjacency(size, size);
  adjacency.setFromTriplets(entries.begin(), entries.end());
  const Eigen::VectorXd vector = perron_vector(adjacency, static_cast<double>(graph.max_degree()));
  return {vector.begin(), vector.end()};
}

std::vector<double> betweenness_centrality(const Graph& graph) {
  const std::size_t nodes = graph.node_count();
  std::vector<double> centrality(nodes, 0);
  if (nodes < 3) return centrality;
  constexpr std::size_t kBlocks = 32;  // fixed, so that the order of summation does not depend on threads
  std::vector<std::vector<double>> partial(kBlocks);
  parallel_for(kBlocks, [&](std::size_t block) {
    PathCounter counter(graph);
    for (std::size_t source = block; source < nodes; source += kBlocks)
      counter.add_source(static_cast<NodeId>(source));
    partial[block].assign(counter.score().begin(), counter.score().end());
  });
  const auto pairs = static_cast<double>(nodes - 1) * static_cast<double>(nodes - 2);  // each counted twice
  for (NodeId node = 0; node < nodes; ++node) {
    for (const auto& score : partial) centrality[node] += score[node];
    centrality[node] /= pairs;
    if (!std::isfinite(centrality[node]))
      fail(Fault::kNumeric, "betweenness: more shortest paths than a double can count");
  }
  return centrality;
}

}  // namespace earshot
