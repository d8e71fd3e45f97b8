#include "earshot/threat/view_file.hpp"

#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/json_text.hpp"

namespace earshot {
namespace {

constexpr const char* kFormat = "earshot views 3";

void save_nodes(StateWriter& out, std::span<const NodeId> nodes) {
  out.number(nodes.size());
  for (const NodeId node : nodes) out.number(node);
}

void save_edges(StateWriter& out, std::span<const Edge> edges) {
  out.number(edges.size());
  for (const auto& [a, b] : edges) {
    out.number(a);
    out.number(b);
  }
}

void save_graph(StateWriter& out, const Graph& graph) {
  out.number(graph.node_count());
  for (NodeId node = 0; node < graph.node_count(); ++node) out.text(graph.name(node));
  save_edges(out, graph.edges());
}

void save_rational(StateWriter& out, const Rational& value) {
  out.number(static_cast<std::uint64_t>(value.numerator));
  out.number(static_cast<std::uint64_t>(value.denominator));
}

void save_matrix(StateWriter& out, const GossipMatrix& matrix) {
  save_graph(out, matrix.graph());
  for (NodeId node = 0; node < matrix.node_count(); ++node) {
    for (const Rational& weight : matrix.edge_weights(node)) save_rational(out, weight);
    const std::optional<Rational>& own = matrix.exact_diagonal(node);
    out.number(own ? 1 : 0);
    if (own) save_rational(out, *own);
  }
}

void save_told(StateWriter& out, const PublicKnowledge& told) {
  out.number(told.gossip_matrix != nullptr ? 1 : 0);
  if (told.gossip_matrix != nullptr) save_matrix(out, *told.gossip_matrix);
  out.reals(told.mixing);
  out.reals(told.initial_parameters);
  out.number(told.learning_rate ? 1 : 0);
  if (told.learning_rate) out.real(*told.learning_rate);
  out.text(told.protocol.dump());
}

/// Reads a graph, a matrix or an adversary; numbers that make no sense are refused where they are used.
class Reader {
 public:
  explicit Reader(StateReader& in) : in_(in) {}

  NodeId node() {
    const std::uint64_t value = in_.number();
    if (value > std::numeric_limits<NodeId>::max()) fail(Fault::kData, "a number is no node");
    return static_cast<NodeId>(value);
  }
  std::vector<NodeId> nodes() {
    std::vector<NodeId> nodes;
    for (std::uint64_t left = in_.number(); left > 0; --left) nodes.push_back(node());
    return nodes;
  }
  std::vector<Edge> edges() {
    std::vector<Edge> edges;
    for (std::uint64_t left = in_.number(); left > 0; --left) {
      const NodeId a = node();
      edges.emplace_back(a, node());
    }
    return edges;
  }
  Graph graph() {
    std::vector<std::string> names;
    for (std::uint64_t left = in_.number(); left > 0; --left) names.push_back(in_.text());
    if (std::set(names.begin(), names.end()).size() != names.size())
      fail(Fault::kData, "two nodes have the same name");
    const std::size_t count = names.size();
    const std::vector<Edge> links = edges();
    for (std::size_t i = 0; i < links.size(); ++i) {
      const auto& [a, b] = links[i];
      if (a >= b || b >= count || (i > 0 && links[i] <= links[i - 1]))
        fail(Fault::kData, "the links of the network are not those of a graph");
    }
    return Graph(count, links, std::move(names));
  }
  GossipMatrix matrix() {
    Graph network = graph();
    std::vector<Rational> weights;
    std::vector<std::optional<Rational>> diagonal;
    for (NodeId node = 0; node < network.node_count(); ++node) {
      for (std::size_t i = 0; i < network.degree(node); ++i) weights.push_back(rational());
      diagonal.push_back(in_.number() != 0 ? std::optional(rational()) : std::nullopt);
    }
    return GossipMatrix(std::move(network), std::move(weights), std::move(diagonal));
  }

 private:
  Rational rational() {
    const auto numerator = static_cast<std::int64_t>(in_.number());
    return make_rational(numerator, static_cast<std::int64_t>(in_.number()));
  }

  StateReader& in_;
};

PublicKnowledge load_told(StateReader& in, std::unique_ptr<GossipMatrix>& matrix) {
  PublicKnowledge told;
  if (in.number() != 0) matrix = std::make_unique<GossipMatrix>(Reader(in).matrix());
  told.gossip_matrix = matrix.get();
  told.mixing = in.reals();
  told.initial_parameters = in.reals();
  if (in.number() != 0) told.learning_rate = in.real();
  told.protocol = parse_json(in.text(), "what is told of the protocol");
  return told;
}

std::vector<Adversary> load_adversaries(StateReader& in, const Graph& network) {
  std::vector<Adversary> adversaries;
  Reader reader(in);
  for (std::uint64_t left = in.number(); left > 0; --left) {
    auto colluding = reader.nodes();
    auto tapped = reader.nodes();
    adversaries.push_back(make_adversary(network, std::move(colluding), std::move(tapped), reader.edges()));
  }
  return adversaries;
}

StoredViews load_views(StateReader& in) {
  StoredViews stored;
  stored.network = std::make_unique<Graph>(Reader(in).graph());
  PublicKnowledge told = load_told(in, stored.gossip_matrix);
  told.network = stored.network.get();
  const std::vector<Adversary> adversaries = load_adversaries(in, *stored.network);
  stored.recorder = std::make_unique<Recorder>(*stored.network, adversaries, std::move(told), 0);
  stored.recorder->load(in);
  in.finish();
  return stored;
}

}  // namespace

std::string views_to_bytes(const Graph& network, const Recorder& recorder) {
  StateWriter out;
  out.text(kFormat);
  save_graph(out, network);
  save_told(out, recorder.told());
  out.number(recorder.views().size());
  for (const View& view : recorder.views()) {
    save_nodes(out, view.adversary().colluding);
    save_nodes(out, view.adversary().tapped);
    save_edges(out, view.adversary().wires);
  }
  recorder.save(out);
  return out.sealed();
}

StoredViews views_from_bytes(std::string_view bytes, const std::string& origin) {
  StateReader in(bytes, origin);
  if (in.text() != kFormat)
    fail(Fault::kData, fmt::format("{} does not hold views, or those of another version", origin));
  try {
    return load_views(in);
  } catch (const Error& error) {
    if (error.fault() == Fault::kInternal) throw;
    throw Error(Fault::kData, fmt::format("{} holds no views that make sense: {}", origin, error.what()));
  }
}

}  // namespace earshot
