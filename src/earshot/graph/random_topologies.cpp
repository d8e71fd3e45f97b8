#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "earshot/graph/topology_families.hpp"

namespace earshot {
namespace {

using Edges = std::vector<Edge>;

NodeId id(std::size_t index) {
  return static_cast<NodeId>(index);
}

/// Connectedness of an edge list by disjoint sets: cheaper than building a graph that is then thrown away.
bool links_all(std::size_t nodes, const Edges& edges) {
  if (edges.size() + 1 < nodes) return false;
  std::vector<NodeId> parent(nodes);
  std::iota(parent.begin(), parent.end(), NodeId{0});
  const auto root = [&](NodeId node) {
    while (parent[node] != node) node = parent[node] = parent[parent[node]];
    return node;
  };
  std::size_t parts = nodes;
  for (const auto& [a, b] : edges) {
    const NodeId left = root(a);
    const NodeId right = root(b);
    if (left == right) continue;
    parent[left] = right;
    --parts;
  }
  return parts <= 1;
}

/// The distribution of `draw` conditioned on connected graphs, by rejection; bounded, because a wrong
/// parameter can make connected graphs as rare as one likes.
template <class Draw>
Graph draw_graph(std::size_t nodes, bool connected, const char* remedy, Draw draw) {
  const std::size_t most_draws = std::clamp<std::size_t>(50'000'000 / nodes, 100, 100'000);
  for (std::size_t i = 0; i < most_draws; ++i) {
    const Edges edges = draw();
    if (!connected || links_all(nodes, edges)) return {nodes, edges};
  }
  fail(Fault::kConfig, fmt::format("none of {} random graphs was connected; {}, or set connected = false",
                                   most_draws, remedy));
}

/// Every pair independently with probability p, in O(n + edges) by drawing the gaps between edges (Batagelj &
/// Brandes 2005).
Edges bernoulli_pairs(std::size_t nodes, double p, Stream& stream) {
  Edges edges;
  if (p <= 0) return edges;
  const double log_miss = std::log1p(-p);  // -inf for p = 1: every gap is 0
  std::size_t row = 1;
  std::size_t column = 0;
  const auto settle = [&] {
    while (row < nodes && column >= row) column -= row++;
  };
  for (;;) {
    const double gap = std::floor(std::log1p(-stream.uniform()) / log_miss);
    const double pairs = static_cast<double>(nodes) * static_cast<double>(nodes);
    if (gap >= pairs) return edges;
    column += static_cast<std::size_t>(gap);
    settle();
    if (row >= nodes) return edges;
    edges.emplace_back(id(column), id(row));
    ++column;
    settle();
    if (row >= nodes) return edges;
  }
}

Graph make_erdos_renyi(const Settings& settings, Stream& stream, const GraphSources&) {
  const std::size_t nodes = settings.size("nodes");
  if (settings.has("p") == settings.has("mean_degree"))
    fail(Fault::kConfig, "erdos_renyi needs exactly one of p and mean_degree");
  const double p =
      settings.has("p") ? settings.real("p") : settings.real("mean_degree") / static_cast<double>(nodes);
  if (p > 1)
    fail(Fault::kConfig, fmt::format("mean_degree = {} is more than the {} nodes allow",
                                     settings.real("mean_degree"), nodes));
  return erdos_renyi(nodes, p, settings.boolean("connected"), stream);
}

Edges near_pairs(std::size_t nodes, double radius, Stream& stream) {
  std::vector<double> x(nodes);
  std::vector<double> y(nodes);
  for (std::size_t i = 0; i < nodes; ++i) {
    x[i] = stream.uniform();
    y[i] = stream.uniform();
  }
  Edges edges;
  for (std::size_t i = 0; i < nodes; ++i) {
    for (std::size_t j = i + 1; j < nodes; ++j) {
      const double dx = x[i] - x[j];
      const double dy = y[i] - y[j];
      if (dx * dx + dy * dy <= radius * radius) edges.emplace_back(id(i), id(j));
    }
  }
  return edges;
}

Graph make_random_geometric(const Settings& settings, Stream& stream, const GraphSources&) {
  const std::size_t nodes = settings.size("nodes");
  const double radius = settings.real("radius");
  return draw_graph(nodes, settings.boolean("connected"), "raise radius",
                    [&] { return near_pairs(nodes, radius, stream); });
}

/// Watts & Strogatz 1998, Methods: lap by lap, each lattice edge moves its far end with probability p.
Edges rewired_ring(std::size_t nodes, std::size_t reach, double p, Stream& stream) {
  std::vector<std::set<NodeId>> linked(nodes);
  for (std::size_t lap = 1; lap <= reach; ++lap) {
    for (std::size_t i = 0; i < nodes; ++i) {
      linked[i].insert(id((i + lap) % nodes));
      linked[(i + lap) % nodes].insert(id(i));
    }
  }
  for (std::size_t lap = 1; lap <= reach; ++lap) {
    for (std::size_t i = 0; i < nodes; ++i) {
      if (stream.uniform() >= p || linked[i].size() == nodes - 1) continue;
      NodeId to = 0;
      do {
        to = id(stream.below(nodes));
      } while (to == i || linked[i].contains(to));
      const NodeId from = id((i + lap) % nodes);
      linked[i].erase(from);
      linked[from].erase(id(i));
      linked[i].insert(to);
      linked[to].insert(id(i));
    }
  }
  Edges edges;
  for (std::size_t i = 0; i < nodes; ++i) {
    for (const NodeId other : linked[i]) {
      if (i < other) edges.emplace_back(id(i), other);
    }
  }
  return edges;
}

Graph make_watts_strogatz(const Settings& settings, Stream& stream, const GraphSources&) {
  const std::size_t nodes = settings.size("nodes");
  const std::size_t neighbours = settings.size("neighbours");
  if (neighbours % 2 != 0 || neighbours >= nodes)
    fail(Fault::kConfig,
         fmt::format("watts_strogatz: neighbours = {} must be even and below nodes = {}", neighbours, nodes));
  return draw_graph(nodes, settings.boolean("connected"), "raise neighbours or lower rewire",
                    [&] { return rewired_ring(nodes, neighbours / 2, settings.real("rewire"), stream); });
}

/// Starts from a star of m + 1 nodes; each new node then links to m distinct ones, drawn by degree.
Graph make_barabasi_albert(const Settings& settings, Stream& stream, const GraphSources&) {
  const std::size_t nodes = settings.size("nodes");
  const std::size_t links = settings.size("links");
  if (links >= nodes)
    fail(Fault::kConfig, fmt::format("barabasi_albert: links = {} must be below nodes = {}", links, nodes));
  Edges edges;
  std::vector<NodeId> ends;  // every node as often as its degree
  const auto link = [&](NodeId a, NodeId b) {
    edges.emplace_back(a, b);
    ends.push_back(a);
    ends.push_back(b);
  };
  for (std::size_t i = 1; i <= links; ++i) link(0, id(i));
  std::vector<NodeId> targets;
  for (std::size_t node = links + 1; node < nodes; ++node) {
    targets.clear();
    while (targets.size() < links) {
      const NodeId target = ends[stream.below(ends.size())];
      if (std::find(targets.begin(), targets.end(), target) == targets.end()) targets.push_back(target);
    }
    for (const NodeId target : targets) link(target, id(node));
  }
  return {nodes, edges};
}

Parameter connected() {
  return boolean_parameter("connected", true, "draw again until the graph is connected");
}

Parameter nodes(std::int64_t minimum, std::int64_t maximum, std::int64_t fallback) {
  return integer_parameter("nodes", fallback, minimum, maximum, "number of nodes");
}

}  // namespace

Graph erdos_renyi(std::size_t nodes, double p, bool connected, Stream& stream) {
  return draw_graph(nodes, connected, "raise p or mean_degree (above ln n connects most)",
                    [&] { return bernoulli_pairs(nodes, p, stream); });
}

std::vector<GraphComponent> random_topologies() {
  return {
      {{"graph",
        "erdos_renyi",
        "every pair linked independently with the same probability",
        "Erdos & Renyi 1959; Gilbert 1959, Random graphs, Ann. Math. Stat. 30",
        {nodes(1, 100'000, 50),
         optional(above_minimum(real_parameter("p", std::nullopt, 0, 1, "probability of each link"))),
         optional(above_minimum(
             real_parameter("mean_degree", std::nullopt, 0, 1e5, "instead of p: p = mean_degree / nodes"))),
         connected()}},
       true,
       make_erdos_renyi},
      {{"graph",
        "random_geometric",
        "points in the unit square, linked when at most `radius` apart",
        "Gilbert 1961, Random plane networks; Penrose 2003, Random Geometric Graphs",
        {nodes(1, 10'000, 50),
         above_minimum(real_parameter("radius", 0.3, 0, 1.5, "largest distance of linked points")),
         connected()}},
       true,
       make_random_geometric},
      {{"graph",
        "watts_strogatz",
        "a ring lattice with some links moved at random: small world",
        "Watts & Strogatz 1998, Collective dynamics of small-world networks, Nature 393",
        {nodes(3, 100'000, 50),
         integer_parameter("neighbours", 4, 2, 1000, "links per node before rewiring, even"),
         real_parameter("rewire", 0.1, 0, 1, "probability that a link is moved"), connected()}},
       true,
       make_watts_strogatz},
      {{"graph",
        "barabasi_albert",
        "nodes arrive one by one and link to `links` others, the popular more often",
        "Barabasi & Albert 1999, Emergence of scaling in random networks, Science 286",
        {nodes(2, 1'000'000, 50), integer_parameter("links", 2, 1, 1000, "links each new node makes")}},
       true,
       make_barabasi_albert},
  };
}

}  // namespace earshot
