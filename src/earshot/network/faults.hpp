// What goes wrong on the way: seeded laws for lost and late messages, crashed nodes and stragglers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "earshot/core/json.hpp"
#include "earshot/core/schema.hpp"
#include "earshot/core/state.hpp"
#include "earshot/graph/graph.hpp"
#include "earshot/network/participant.hpp"

namespace earshot {

/// Rates; all zero: nothing goes wrong.
struct FaultOptions {
  double loss = 0;         // P[a message never arrives]
  bool symmetric = false;  // a loss is a link's: it takes the messages of both directions
  double delay = 0;        // mean number of rounds a message is late, geometrically distributed
  bool reorder = true;     // late messages are heard even after newer ones of the same sender
  double straggler = 0;    // P[all messages of a node in a round are one round later]
  double crash = 0;        // P[a running node goes down], per round
  double comeback = 0;     // P[a node that is down comes back], per round; it keeps its state

  bool any() const { return loss > 0 || delay > 0 || straggler > 0 || crash > 0; }
};

/// What went wrong so far.
struct FaultReport {
  std::uint64_t sent = 0;        // messages, one per receiver
  std::uint64_t lost = 0;        // on the way, at a node that was down, or from a node no longer a neighbour
  std::uint64_t delayed = 0;     // heard later or still on their way
  std::uint64_t superseded = 0;  // late messages dropped in favour of a newer one
  std::uint64_t crashes = 0;
  std::vector<std::uint64_t> rounds_down;  // by node
  bool operator==(const FaultReport&) const = default;
};
Json to_json(const FaultReport& report);

/// `faults` components by name: none, random.
struct FaultsComponent {
  Schema schema;
  FaultOptions (*make)(const Settings&);
};
std::span<const FaultsComponent> faults_components();

/// What befalls every message and node. Everything is addressed by node and round, and every event has a draw
/// of its own: raising one rate leaves the other events as they were.
class FaultLaw {
 public:
  struct Fate {
    bool lost = false;
    Round late = 0;
  };

  FaultLaw(const FaultOptions& options, std::uint64_t seed, std::uint64_t trial, std::size_t nodes);

  /// Draws the round: who is down, and the fate of a message on every directed slot of the graph;
  /// `reverse[slot]` is the slot of the opposite direction.
  void enter(Round round, const Graph& graph, std::span<const std::size_t> reverse);
  bool down(NodeId node) const { return down_[node] != 0; }
  Fate fate(std::size_t slot) const { return fates_[slot]; }
  const FaultOptions& options() const { return options_; }
  FaultReport& report() { return report_; }
  const FaultReport& report() const { return report_; }

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  FaultOptions options_;
  std::uint64_t seed_;
  std::uint64_t trial_;
  std::vector<char> down_;
  std::vector<Fate> fates_;
  FaultReport report_;
};

}  // namespace earshot
