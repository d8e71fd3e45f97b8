#include "earshot/threat/adversary.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/text.hpp"

namespace earshot {
namespace {

template <class Value>
void sort_unique(std::vector<Value>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

std::vector<NodeId> difference(std::span<const NodeId> a, std::span<const NodeId> b) {
  std::vector<NodeId> out;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  return out;
}

std::string names(const Graph& graph, std::span<const NodeId> nodes, std::span<const Edge> wires = {}) {
  std::vector<std::string> words;
  for (const NodeId node : nodes) words.push_back(graph.name(node));
  for (const auto& [a, b] : wires) words.push_back(graph.name(a) + "--" + graph.name(b));
  return join(words, "+");
}

}  // namespace

Adversary make_adversary(const Graph& graph, std::vector<NodeId> colluding, std::vector<NodeId> tapped,
                         std::vector<Edge> wires) {
  sort_unique(colluding);
  sort_unique(tapped);
  for (auto& [a, b] : wires) {
    if (a > b) std::swap(a, b);
    if (a == b || b >= graph.node_count()) fail(Fault::kConfig, "a tapped wire does not join two nodes");
  }
  sort_unique(wires);
  for (const auto* group : {&colluding, &tapped}) {
    if (!group->empty() && group->back() >= graph.node_count())
      fail(Fault::kConfig, "an attacker is not in the graph");
  }
  if (colluding.empty() && tapped.empty() && wires.empty())
    fail(Fault::kConfig, "an adversary needs a member, a tapped node or a tapped wire");
  tapped = difference(tapped, colluding);
  return {std::move(colluding), std::move(tapped), std::move(wires)};
}

std::vector<NodeId> heard_nodes(const Graph& graph, const Adversary& adversary) {
  std::vector<NodeId> heard = adversary.tapped;
  for (const NodeId member : adversary.colluding) {
    const auto neighbours = graph.neighbours(member);
    heard.insert(heard.end(), neighbours.begin(), neighbours.end());
  }
  for (const auto& [a, b] : adversary.wires) {
    if (graph.has_edge(a, b)) heard.insert(heard.end(), {a, b});
  }
  sort_unique(heard);
  return difference(heard, adversary.colluding);
}

std::vector<NodeId> target_nodes(const Graph& graph, const Adversary& adversary) {
  std::vector<NodeId> all(graph.node_count());
  std::iota(all.begin(), all.end(), NodeId{0});
  return difference(all, adversary.colluding);
}

std::string adversary_name(const Graph& graph, const Adversary& adversary) {
  const std::size_t honest = graph.node_count() - adversary.colluding.size();
  const bool all = honest > 1 && adversary.tapped.size() == honest;
  const std::string tapped = all ? "everybody" : names(graph, adversary.tapped, adversary.wires);
  if (tapped.empty()) return names(graph, adversary.colluding);
  if (adversary.colluding.empty()) return "tapping " + tapped;
  return fmt::format("{} (tapping {})", names(graph, adversary.colluding), tapped);
}

namespace {

std::vector<NodeId> require_all(const Graph& graph, const std::vector<std::string>& names) {
  std::vector<NodeId> nodes;
  nodes.reserve(names.size());
  for (const std::string& name : names) nodes.push_back(graph.require(name));
  return nodes;
}

std::size_t checked_size(const Settings& settings, const Graph& graph) {
  const std::size_t size = settings.size("size");
  if (size > graph.node_count()) {
    fail(Fault::kConfig,
         fmt::format("adversary.size is {} but the graph has {} nodes", size, graph.node_count()));
  }
  return size;
}

std::vector<Adversary> make_coalition(const Settings& settings, const Graph& graph, Stream&) {
  return {make_adversary(graph, require_all(graph, settings.texts("nodes")),
                         require_all(graph, settings.texts("tapped")))};
}

std::vector<Adversary> make_server(const Settings&, const Graph& graph, Stream&) {
  const auto server = graph.find("server");
  if (!server) {
    fail(Fault::kConfig,
         "adversary.kind = server needs a protocol with a server; here, name nodes with adversary.kind = "
         "coalition");
  }
  return {make_adversary(graph, {*server})};
}

Edge require_wire(const Graph& graph, const std::string& name) {
  const std::size_t middle = name.find("--");
  if (middle == std::string::npos)
    fail(Fault::kConfig, fmt::format("adversary.wires: write '{}' as two names joined by --", name));
  const Edge wire(graph.require(name.substr(0, middle)), graph.require(name.substr(middle + 2)));
  if (!graph.has_edge(wire.first, wire.second))
    fail(Fault::kConfig, fmt::format("adversary.wires: the graph has no edge {}", name));
  return wire;
}

std::vector<Adversary> make_eavesdropper(const Settings& settings, const Graph& graph, Stream&) {
  std::vector<Edge> wires;
  for (const std::string& name : settings.texts("wires")) wires.push_back(require_wire(graph, name));
  if (!wires.empty()) return {make_adversary(graph, {}, {}, std::move(wires))};
  return {make_adversary(graph, {}, target_nodes(graph, {}))};
}

std::vector<Adversary> make_each(const Settings&, const Graph& graph, Stream&) {
  std::vector<Adversary> all;
  for (NodeId node = 0; node < graph.node_count(); ++node) all.push_back({{node}, {}});
  return all;
}

/// These nodes and, if the settings say so, taps on everybody.
std::vector<Adversary> make_together(const Settings& settings, const Graph& graph,
                                     std::vector<NodeId> nodes) {
  std::vector<NodeId> tapped;
  if (settings.boolean("taps_all")) tapped = target_nodes(graph, {});
  return {make_adversary(graph, std::move(nodes), std::move(tapped))};
}

std::vector<Adversary> make_first(const Settings& settings, const Graph& graph, Stream&) {
  std::vector<NodeId> nodes(checked_size(settings, graph));
  std::iota(nodes.begin(), nodes.end(), NodeId{0});
  return make_together(settings, graph, std::move(nodes));
}

std::vector<Adversary> make_random(const Settings& settings, const Graph& graph, Stream& stream) {
  std::vector<NodeId> nodes;
  for (const std::size_t node :
       stream.sample_without_replacement(checked_size(settings, graph), graph.node_count())) {
    nodes.push_back(static_cast<NodeId>(node));
  }
  return make_together(settings, graph, std::move(nodes));
}

constexpr const char* kThreatReference =
    "El Mrini, Cyffers & Bellet 2024, Privacy Attacks in Decentralized Learning";

std::vector<Parameter> size_parameters() {
  return {integer_parameter("size", 1, 1, 1000000, "how many nodes collude"),
          boolean_parameter("taps_all", false, "and an eavesdropper reads every message on the wire")};
}

}  // namespace

std::span<const AdversaryComponent> adversary_components() {
  static const std::vector<AdversaryComponent> components = {
      {{"adversary", "each", "every node in turn, alone", kThreatReference, {}}, make_each},
      {{"adversary",
        "coalition",
        "the named nodes together, plus what an eavesdropper hears of tapped nodes",
        kThreatReference,
        {texts_parameter("nodes", {}, "names of the colluding nodes"),
         texts_parameter("tapped", std::vector<std::string>{},
                         "nodes whose outgoing messages are read on the wire")}},
       make_coalition},
      {{"adversary",
        "server",
        "the server of a federated protocol, which hears every client",
        kThreatReference,
        {}},
       make_server},
      {{"adversary",
        "eavesdropper",
        "nobody inside: reads wires in both directions, also what is lost on the way",
        kThreatReference,
        {texts_parameter("wires", std::vector<std::string>{},
                         "links as 'name--name'; none given: all of them")}},
       make_eavesdropper},
      {{"adversary", "first", "the first nodes of the graph together", kThreatReference, size_parameters()},
       make_first},
      {{"adversary", "random", "nodes drawn at random, together", kThreatReference, size_parameters()},
       make_random}};
  return components;
}

}  // namespace earshot
