#include "earshot/threat/adversary.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/text.hpp"

namespace earshot {
namespace {

void sort_unique(std::vector<NodeId>& nodes) {
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

std::vector<NodeId> difference(std::span<const NodeId> a, std::span<const NodeId> b) {
  std::vector<NodeId> out;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  return out;
}

std::string names(const Graph& graph, std::span<const NodeId> nodes) {
  std::vector<std::string> words;
  for (const NodeId node : nodes) words.push_back(graph.name(node));
  return join(words, "+");
}

}  // namespace

Adversary make_adversary(const Graph& graph, std::vector<NodeId> colluding, std::vector<NodeId> tapped) {
  sort_unique(colluding);
  sort_unique(tapped);
  for (const auto* group : {&colluding, &tapped}) {
    if (!group->empty() && group->back() >= graph.node_count())
      fail(Fault::kConfig, "an attacker is not in the graph");
  }
  if (colluding.empty() && tapped.empty())
    fail(Fault::kConfig, "an adversary needs a member or a tapped node");
  tapped = difference(tapped, colluding);
  return {std::move(colluding), std::move(tapped)};
}

std::vector<NodeId> heard_nodes(const Graph& graph, const Adversary& adversary) {
  std::vector<NodeId> heard = adversary.tapped;
  for (const NodeId member : adversary.colluding) {
    const auto neighbours = graph.neighbours(member);
    heard.insert(heard.end(), neighbours.begin(), neighbours.end());
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
  if (adversary.tapped.empty()) return names(graph, adversary.colluding);
  if (adversary.colluding.empty()) return "tapping " + names(graph, adversary.tapped);
  return fmt::format("{} (tapping {})", names(graph, adversary.colluding), names(graph, adversary.tapped));
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

std::vector<Adversary> make_each(const Settings&, const Graph& graph, Stream&) {
  std::vector<Adversary> all;
  for (NodeId node = 0; node < graph.node_count(); ++node) all.push_back({{node}, {}});
  return all;
}

std::vector<Adversary> make_first(const Settings& settings, const Graph& graph, Stream&) {
  std::vector<NodeId> nodes(checked_size(settings, graph));
  std::iota(nodes.begin(), nodes.end(), NodeId{0});
  return {make_adversary(graph, std::move(nodes))};
}

std::vector<Adversary> make_random(const Settings& settings, const Graph& graph, Stream& stream) {
  std::vector<NodeId> nodes;
  for (const std::size_t node :
       stream.sample_without_replacement(checked_size(settings, graph), graph.node_count())) {
    nodes.push_back(static_cast<NodeId>(node));
  }
  return {make_adversary(graph, std::move(nodes))};
}

constexpr const char* kThreatReference =
    "El Mrini, Cyffers & Bellet 2024, Privacy Attacks in Decentralized Learning";

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
        "first",
        "the first nodes of the graph together",
        kThreatReference,
        {integer_parameter("size", 1, 1, 1000000, "how many nodes collude")}},
       make_first},
      {{"adversary",
        "random",
        "nodes drawn at random, together",
        kThreatReference,
        {integer_parameter("size", 1, 1, 1000000, "how many nodes collude")}},
       make_random}};
  return components;
}

}  // namespace earshot
