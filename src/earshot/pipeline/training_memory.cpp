#include "earshot/pipeline/training_memory.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <unistd.h>

#include "earshot/core/error.hpp"
#include "earshot/core/parallel.hpp"
#include "earshot/pipeline/training_sections.hpp"

namespace earshot {
namespace {

/// Where a protocol keeps its vectors.
enum class Family {
  kAlone,      // one place
  kServer,     // clients borrow their memory from the threads that work for them
  kAveraging,  // every node keeps its state
  kEdges,      // every node keeps its state, and both ends of every edge two variables
  kToken       // one model travels
};

/// Bytes around the numbers of a recorded message.
constexpr double kPerMessage = 128;
/// Replies a server may not have heard yet.
constexpr std::size_t kReplies = 32;

Family family_of(const std::string& protocol) {
  if (protocol == "central") return Family::kAlone;
  if (protocol == "skip_ring") return Family::kToken;
  if (protocol == "pdmm" || protocol == "admm" || protocol == "server_pdmm") return Family::kEdges;
  if (protocol == "fedsgd" || protocol == "fedavg" || protocol == "fedprox" || protocol == "scaffold")
    return Family::kServer;
  if (protocol == "dgd" || protocol == "d_psgd" || protocol == "muffliato" || protocol == "muffliato_random")
    return Family::kAveraging;
  fail(Fault::kInternal, "it is not known what protocol " + protocol + " holds");
}

bool says(const Settings& settings, const char* key, const char* value) {
  return settings.has(key) && settings.text(key) == value;
}

/// Models in a request: the server's, one per cluster, or with its control variate.
double request_vectors(const std::string& protocol, const Settings& settings) {
  if (protocol == "scaffold") return 2;
  return protocol == "fedavg" ? static_cast<double>(settings.size("clusters")) : 1;
}

double reply_vectors(const std::string& protocol) {
  return protocol == "scaffold" ? 2 : 1;
}

/// Clients that reply in a round.
double asked(const Settings& settings, std::size_t nodes) {
  if (settings.has("clients")) return static_cast<double>(std::min(settings.size("clients"), nodes));
  return std::max(1.0, std::floor(settings.real("fraction") * static_cast<double>(nodes)));
}

double server_vectors(const std::string& protocol, const Settings& settings, const TrainingSize& size) {
  const auto nodes = static_cast<double>(size.nodes);
  const bool remembers = protocol == "scaffold" || says(settings, "messages", "differential");
  const double waiting = static_cast<double>(std::min(kReplies, size.nodes)) * reply_vectors(protocol);
  // The model, the sum of the replies, the optimiser's velocity.
  return 3 * request_vectors(protocol, settings) + waiting + (remembers ? nodes : 0);
}

/// States of now and of the next exchange; the one before where gossip is accelerated, or the node's own step
/// where it is taken after averaging.
double averaging_vectors(const std::string& protocol, const Settings& settings, const TrainingSize& size) {
  const bool three = protocol == "d_psgd" || says(settings, "acceleration", "chebyshev");
  return (three ? 3 : 2) * static_cast<double>(size.nodes);
}

double edge_vectors(const std::string& protocol, const Settings& settings, const TrainingSize& size) {
  const auto edges = static_cast<double>(protocol == "server_pdmm" ? size.nodes : size.edges);
  const double messages = says(settings, "messages", "differential") ? 2 : 0;  // composed for either end
  return static_cast<double>(size.nodes) + (4 + messages) * edges;
}

double held_vectors(const std::string& protocol, const Settings& settings, const TrainingSize& size) {
  switch (family_of(protocol)) {
    case Family::kAlone:
      return 2;  // model and velocity
    case Family::kServer:
      return server_vectors(protocol, settings, size);
    case Family::kAveraging:
      return averaging_vectors(protocol, settings, size);
    case Family::kEdges:
      return edge_vectors(protocol, settings, size);
    case Family::kToken:
      return 3;  // at its sender, on its way, at its receiver
  }
  fail(Fault::kInternal, "unknown family of protocols");
}

/// Participants whose messages somebody hears, members included.
std::set<NodeId> heard_senders(const Graph& network, std::span<const Adversary> adversaries) {
  std::set<NodeId> senders;
  for (const Adversary& adversary : adversaries) {
    senders.insert(adversary.colluding.begin(), adversary.colluding.end());
    for (const NodeId node : heard_nodes(network, adversary)) senders.insert(node);
  }
  return senders;
}

/// Where links change, a member may come to hear anybody.
std::size_t averaging_senders(const std::string& protocol, const Graph& network,
                              std::span<const Adversary> adversaries) {
  const auto inside = [](const Adversary& a) { return !(a.colluding.empty() && a.wires.empty()); };
  if (protocol == "muffliato_random" && std::ranges::any_of(adversaries, inside)) return network.node_count();
  return heard_senders(network, adversaries).size();
}

bool contains(const std::vector<NodeId>& nodes, NodeId node) {
  return std::ranges::binary_search(nodes, node);
}

bool hears(const Adversary& adversary, NodeId from, NodeId to) {
  return contains(adversary.colluding, from) || contains(adversary.colluding, to) ||
         contains(adversary.tapped, from) ||
         std::ranges::binary_search(adversary.wires, Edge(std::min(from, to), std::max(from, to)));
}

/// Directions of edges somebody hears.
double heard_directions(const Graph& network, std::span<const Adversary> adversaries) {
  std::size_t count = 0;
  for (NodeId from = 0; from < network.node_count(); ++from) {
    for (const NodeId to : network.neighbours(from)) {
      if (std::ranges::any_of(adversaries, [&](const Adversary& a) { return hears(a, from, to); })) ++count;
    }
  }
  return static_cast<double>(count);
}

/// Messages recorded in a round, and how many models long each is.
struct Recorded {
  double messages = 0;
  double vectors = 1;
};

std::vector<Recorded> recorded_of_server(const std::string& protocol, const Settings& settings,
                                         const Graph& network, std::span<const Adversary> adversaries) {
  const std::size_t clients = network.node_count() - 1;
  const std::set<NodeId> senders = heard_senders(network, adversaries);
  const std::size_t server = senders.count(static_cast<NodeId>(clients));
  const auto replying = static_cast<double>(senders.size() - server);
  // A request is one message, however many clients it is sent to.
  return {{static_cast<double>(server), request_vectors(protocol, settings)},
          {std::min(replying, asked(settings, clients)), reply_vectors(protocol)}};
}

/// A token is heard by whoever it comes to and goes to.
double recorded_visits(const Settings& settings, const Graph& network,
                       std::span<const Adversary> adversaries) {
  std::set<NodeId> listeners;
  bool inside = false;
  for (const Adversary& adversary : adversaries) {
    inside = inside || !(adversary.colluding.empty() && adversary.wires.empty());
    listeners.insert(adversary.colluding.begin(), adversary.colluding.end());
    listeners.insert(adversary.tapped.begin(), adversary.tapped.end());
    for (const auto& [a, b] : adversary.wires) listeners.insert({a, b});
  }
  const auto nodes = static_cast<double>(network.node_count());
  const double visits =
      settings.size("visits_per_round") == 0 ? nodes : static_cast<double>(settings.size("visits_per_round"));
  const double share = (inside ? 2 : 1) * static_cast<double>(listeners.size()) / nodes;
  return visits * std::min(1.0, share);
}

std::vector<Recorded> recorded_messages(const std::string& protocol, const Settings& settings,
                                        const Graph& network, std::span<const Adversary> adversaries) {
  switch (family_of(protocol)) {
    case Family::kAlone:
      return {};
    case Family::kServer:
      return recorded_of_server(protocol, settings, network, adversaries);
    case Family::kAveraging:
      return {{static_cast<double>(settings.size("gossip_steps") *
                                   averaging_senders(protocol, network, adversaries))}};
    case Family::kEdges:
      return {{heard_directions(network, adversaries)}};
    case Family::kToken:
      return {{recorded_visits(settings, network, adversaries)}};
  }
  fail(Fault::kInternal, "unknown family of protocols");
}

}  // namespace

double held_bytes(const Cell& cell, const TrainingSize& size) {
  const std::string& protocol = cell.at("protocol").kind;
  // Every thread has a gradient, a state and a velocity or a start of its own.
  const double working = 3 * static_cast<double>(std::min(thread_count(), size.nodes));
  const double vectors = held_vectors(protocol, protocol_settings(cell), size) + working;
  return sizeof(double) * static_cast<double>(size.parameters) * vectors;
}

double recorded_bytes(const Cell& cell, std::size_t state_size, const Graph& network,
                      std::span<const Adversary> adversaries) {
  double bytes = 0;
  for (const Recorded& recorded :
       recorded_messages(cell.at("protocol").kind, protocol_settings(cell), network, adversaries)) {
    bytes += recorded.messages *
             (sizeof(double) * recorded.vectors * static_cast<double>(state_size) + kPerMessage);
  }
  return bytes;
}

double chosen_bytes(std::span<const std::optional<MessageChoice>> chosen, std::size_t state_size,
                    double bytes_per_exchange) {
  const double message = sizeof(double) * static_cast<double>(state_size) + kPerMessage;
  double bytes = 0;
  for (const auto& choice : chosen) {
    bytes += static_cast<double>(choice->single.size()) * message +
             static_cast<double>(choice->window.end - choice->window.first) * bytes_per_exchange;
  }
  return bytes;
}

double physical_memory() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
}

}  // namespace earshot
