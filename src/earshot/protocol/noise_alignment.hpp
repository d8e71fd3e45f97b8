// Noise for a server and for gossip that gives them the epsilon a ring has reached by the same time.
#pragma once

#include <cstdint>

#include "earshot/accounting/topology_accounting.hpp"
#include "earshot/protocol/latency.hpp"

namespace earshot {

struct AlignmentOptions {
  double sigma = 1;  // of the noise on the ring
  double clip = 1;   // everywhere
  std::uint64_t nodes = 0;
  LatencyOptions latency;
  double checkpoint = 0;              // time at which epsilons shall be equal
  std::uint64_t server_messages = 2;  // one after the other, in a round of the server
  double edge_probability = 0;        // of the random graphs gossip runs on
  std::uint64_t gossip_steps = 2;
  double delta = 1e-6;
  double delta_visits = 1e-6;
  bool as_published = false;
  std::uint64_t seed = 1;  // of the latencies, which are those of a run with this seed
};

struct NoiseAlignment {
  // Before the checkpoint:
  std::uint64_t visits = 0;
  std::uint64_t server_rounds = 0;
  std::uint64_t gossip_rounds = 0;
  double epsilon = 0;  // of each topology there
  double server_sigma = 0;
  double gossip_sigma = 0;
};

/// The comparison of Ski (2026): the ring keeps its noise, the others get as much as makes the epsilons equal
/// at the first checkpoint. Equal epsilons are not equal mechanisms; gossip's is an average over pairs.
NoiseAlignment align_noise(const AlignmentOptions& options);

/// Visits of a token, or rounds of all nodes together, that end by `time`.
std::uint64_t visits_by(const LatencyClock& clock, std::uint64_t nodes, double time);
std::uint64_t joint_rounds_by(const LatencyClock& clock, std::uint64_t nodes, std::uint64_t messages,
                              double time);

}  // namespace earshot
