#include <fmt/format.h>

#include "earshot/graph/topology_families.hpp"

namespace earshot {
namespace {

using Edges = std::vector<Edge>;

NodeId id(std::size_t index) {
  return static_cast<NodeId>(index);
}

Graph make_line(const Settings& settings, Stream&, const GraphSources&) {
  const std::size_t nodes = settings.size("nodes");
  Edges edges;
  for (std::size_t i = 1; i < nodes; ++i) edges.emplace_back(id(i - 1), id(i));
  return {nodes, edges};
}

Graph make_ring(const Settings& settings, Stream&, const GraphSources&) {
  const std::size_t nodes = settings.size("nodes");
  Edges edges;
  for (std::size_t i = 0; i < nodes; ++i) edges.emplace_back(id(i), id((i + 1) % nodes));
  return {nodes, edges};
}

Graph make_star(const Settings& settings, Stream&, const GraphSources&) {
  const std::size_t nodes = settings.size("nodes");
  Edges edges;
  for (std::size_t i = 1; i < nodes; ++i) edges.emplace_back(0, id(i));
  return {nodes, edges};
}

Graph make_complete(const Settings& settings, Stream&, const GraphSources&) {
  const std::size_t nodes = settings.size("nodes");
  Edges edges;
  for (std::size_t i = 0; i < nodes; ++i) {
    for (std::size_t j = i + 1; j < nodes; ++j) edges.emplace_back(id(i), id(j));
  }
  return {nodes, edges};
}

/// Row-major lattice; around the back, too, on a torus.
Graph lattice(std::size_t rows, std::size_t columns, bool torus) {
  if (torus && (rows < 3 || columns < 3))
    fail(Fault::kConfig,
         fmt::format("a torus of {} x {} would link two nodes twice; it needs at least 3 rows "
                     "and 3 columns",
                     rows, columns));
  Edges edges;
  const auto at = [&](std::size_t row, std::size_t column) { return id(row * columns + column); };
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      if (r + 1 < rows || torus) edges.emplace_back(at(r, c), at((r + 1) % rows, c));
      if (c + 1 < columns || torus) edges.emplace_back(at(r, c), at(r, (c + 1) % columns));
    }
  }
  return {rows * columns, edges};
}

Graph make_grid(const Settings& settings, Stream&, const GraphSources&) {
  return lattice(settings.size("rows"), settings.size("columns"), settings.boolean("torus"));
}

Graph make_torus(const Settings& settings, Stream&, const GraphSources&) {
  return lattice(settings.size("rows"), settings.size("columns"), true);
}

Graph make_hypercube(const Settings& settings, Stream&, const GraphSources&) {
  const std::size_t dimension = settings.size("dimension");
  const std::size_t nodes = std::size_t{1} << dimension;
  Edges edges;
  for (std::size_t i = 0; i < nodes; ++i) {
    for (std::size_t bit = 0; bit < dimension; ++bit) {
      const std::size_t other = i ^ (std::size_t{1} << bit);
      if (i < other) edges.emplace_back(id(i), id(other));
    }
  }
  return {nodes, edges};
}

Graph make_binary_tree(const Settings& settings, Stream&, const GraphSources&) {
  const std::size_t nodes = settings.size("nodes");
  Edges edges;
  for (std::size_t i = 1; i < nodes; ++i) edges.emplace_back(id((i - 1) / 2), id(i));
  return {nodes, edges};
}

Graph make_exponential(const Settings& settings, Stream&, const GraphSources&) {
  const std::size_t nodes = settings.size("nodes");
  Edges edges;
  for (std::size_t hop = 1; hop < nodes; hop *= 2) {
    for (std::size_t i = 0; i < nodes; ++i) edges.push_back(std::minmax(id(i), id((i + hop) % nodes)));
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());  // hops 2^k and n - 2^k may coincide
  return {nodes, edges};
}

Parameter nodes(std::int64_t minimum, std::int64_t maximum, std::int64_t fallback) {
  return integer_parameter("nodes", fallback, minimum, maximum, "number of nodes");
}

Parameter side(const char* key, std::int64_t minimum) {
  return integer_parameter(key, 5, minimum, 1000, fmt::format("number of {}", key));
}

constexpr std::int64_t kMostNodes = 1'000'000;

}  // namespace

std::vector<GraphComponent> regular_topologies() {
  constexpr const char* kFolklore =
      "Nedic, Olshevsky & Rabbat 2018, Network topology and communication-computation "
      "tradeoffs in decentralized optimization, Proc. IEEE 106";
  constexpr const char* kExponential =
      "Ying, Yuan, Chen, Hu, Pan & Yin 2021, Exponential graph is provably efficient for decentralized deep "
      "training, NeurIPS";
  return {
      {{"graph", "line", "a path: 0 - 1 - ... - n-1", kFolklore, {nodes(1, kMostNodes, 30)}},
       false,
       make_line},
      {{"graph", "ring", "a cycle", kFolklore, {nodes(3, kMostNodes, 20)}}, false, make_ring},
      {{"graph",
        "star",
        "node 0 linked to all others: a server and its clients",
        kFolklore,
        {nodes(1, kMostNodes, 20)}},
       false,
       make_star},
      {{"graph", "complete", "everyone linked to everyone", kFolklore, {nodes(1, 4000, 10)}},
       false,
       make_complete},
      {{"graph",
        "grid",
        "a lattice of rows x columns, numbered row by row",
        kFolklore,
        {side("rows", 1), side("columns", 1),
         boolean_parameter("torus", false, "also link the last row and column to the first")}},
       false,
       make_grid},
      {{"graph",
        "torus",
        "a grid whose last row and column are linked to the first",
        kFolklore,
        {side("rows", 3), side("columns", 3)}},
       false,
       make_torus},
      {{"graph",
        "hypercube",
        "2^dimension nodes, linked when their numbers differ in one bit",
        kFolklore,
        {integer_parameter("dimension", 4, 0, 16, "number of bits")}},
       false,
       make_hypercube},
      {{"graph",
        "binary_tree",
        "node i linked to 2i+1 and 2i+2, root 0",
        kFolklore,
        {nodes(1, kMostNodes, 15)}},
       false,
       make_binary_tree},
      {{"graph",
        "exponential",
        "node i linked to i + 1, i + 2, i + 4, ... modulo n (undirected)",
        kExponential,
        {nodes(2, 100'000, 16)}},
       false,
       make_exponential},
  };
}

}  // namespace earshot
