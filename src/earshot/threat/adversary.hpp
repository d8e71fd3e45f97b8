// Who listens: colluding participants and tapped wires. A threat model is data.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "earshot/core/random.hpp"
#include "earshot/core/schema.hpp"
#include "earshot/graph/graph.hpp"

namespace earshot {

/// Honest-but-curious: members follow the protocol and pool what they hear (El Mrini, Cyffers & Bellet 2024,
/// sec. 3).
struct Adversary {
  std::vector<NodeId> colluding;  // sorted, distinct
  std::vector<NodeId> tapped;     // nodes whose outgoing messages an eavesdropper reads; sorted, distinct
  std::vector<Edge> wires = {};   // links an eavesdropper reads in both directions; smaller id first, sorted
  bool operator==(const Adversary&) const = default;
};

/// Sorted, without duplicates, tapped nodes that collude anyway removed; refuses ids outside the graph.
Adversary make_adversary(const Graph& graph, std::vector<NodeId> colluding, std::vector<NodeId> tapped = {},
                         std::vector<Edge> wires = {});

/// Non-members whose messages the adversary hears: neighbours of members, tapped nodes and the ends of tapped
/// wires of the graph, sorted.
std::vector<NodeId> heard_nodes(const Graph& graph, const Adversary& adversary);
/// Nodes that are not members, sorted.
std::vector<NodeId> target_nodes(const Graph& graph, const Adversary& adversary);
/// "Medici" or "0+7" or "0 (tapping 3)" or "tapping 3--4" or "tapping everybody".
std::string adversary_name(const Graph& graph, const Adversary& adversary);

/// `adversary` components by name; `make` answers with every adversary to be studied, one after the other.
struct AdversaryComponent {
  Schema schema;
  std::vector<Adversary> (*make)(const Settings&, const Graph&, Stream&);
};
std::span<const AdversaryComponent> adversary_components();

}  // namespace earshot
