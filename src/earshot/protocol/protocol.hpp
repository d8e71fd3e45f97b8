// A way of learning together, ready to run: its participants, who can talk to whom, and how to look at the
// result.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "earshot/core/json.hpp"
#include "earshot/core/schema.hpp"
#include "earshot/graph/gossip_matrix.hpp"
#include "earshot/network/topology.hpp"
#include "earshot/training/learner.hpp"

namespace earshot {

/// What a protocol is made of. What is referred to must outlive it.
struct ProtocolParts {
  LearningTask& task;
  std::vector<std::vector<std::size_t>> shards;  // records by learning node; disjoint
  std::vector<std::string> names;                // of the learning nodes, for the ledger
  const GossipMatrix* gossip_matrix = nullptr;   // where the protocol runs on a given graph
  Protection protection;
  std::vector<double> start;  // the common initial state
  std::uint64_t seed = 1;
  std::uint64_t trial = 0;
};

class Protocol {
 public:
  virtual ~Protocol() = default;

  virtual Topology& topology() = 0;
  /// In node order; a server is the last node. Owned by the protocol.
  virtual std::vector<Participant*> participants() = 0;
  /// Rounds of the network that make one round of training.
  virtual Round exchanges() const = 0;

  /// The nodes that hold records, in the order of the shards.
  virtual std::vector<Learner*> learners() = 0;
  /// The state training has reached: a server's, a token's, or the mean over the nodes.
  virtual void result(std::span<double> state) const = 0;
  /// Root mean square distance of the nodes' states from their mean; none where there is one state only.
  virtual std::optional<double> disagreement() const { return {}; }
  /// Simulated time since the start; none where the protocol has no clock.
  virtual std::optional<double> elapsed() const { return {}; }
  /// What a user should know before trusting the run: broken conditions of a theorem, isolated nodes.
  virtual std::vector<std::string> warnings() const { return {}; }
  /// What everybody knows of this protocol: step sizes, penalties, weights, as far as they are public.
  virtual Json public_facts() const { return Json::object(); }

  /// Hears what one node tells another before the first round by a channel that only the two can read.
  using EncryptedChannel = std::function<void(NodeId from, NodeId to, std::span<const double> message)>;
  virtual void start_encrypted(const EncryptedChannel&) const {}

  /// Participants, and what else changes; between two rounds of training.
  virtual void save(StateWriter& out) const = 0;
  virtual void load(StateReader& in) = 0;
};

/// What a protocol needs beside data and model.
enum class NetworkNeed {
  kNone,    // no section [graph]: it has its own network (a star, a ring), or none
  kGraph,   // [graph]; weights are not used
  kWeights  // [graph] and [weights]
};

struct ProtocolComponent {
  Schema schema;
  NetworkNeed needs = NetworkNeed::kNone;
  /// How often one node's records are released in a whole run, at most: what noise is calibrated to.
  std::uint64_t (*steps)(const Settings&, std::size_t nodes, std::size_t largest_shard) = nullptr;
  std::unique_ptr<Protocol> (*make)(const Settings&, ProtocolParts) = nullptr;
};

/// Every protocol that trains, by family.
std::span<const ProtocolComponent> training_protocols();
/// Null when there is none of that name.
const ProtocolComponent* find_training_protocol(std::string_view name);

/// "rounds", "batch", "draw": what every protocol has; followed by `more`.
std::vector<Parameter> with_common_parameters(std::vector<Parameter> more);
/// From those settings.
BatchOptions batch_options(const Settings& settings);

}  // namespace earshot
