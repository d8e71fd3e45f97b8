#include "earshot/protocol/noise_alignment.hpp"

#include <cmath>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

/// How many steps end by `time` when step i takes duration(i).
template <class Duration>
std::uint64_t steps_by(double time, const Duration& duration) {
  if (!(time > 0) || !std::isfinite(time)) {
    fail(Fault::kConfig, "the time of the checkpoint must be positive and finite");
  }
  double elapsed = 0;
  for (std::uint64_t step = 0;; ++step) {
    const double needed = duration(step);
    if (!(needed > 0)) {
      fail(Fault::kConfig, "no time passes: choose a latency law or a time for messages");
    }
    elapsed += needed;
    if (elapsed > time) return step;
  }
}

}  // namespace

std::uint64_t visits_by(const LatencyClock& clock, std::uint64_t nodes, double time) {
  return steps_by(
      time, [&](std::uint64_t visit) { return clock.visit(static_cast<NodeId>(visit % nodes), visit); });
}

std::uint64_t joint_rounds_by(const LatencyClock& clock, std::uint64_t nodes, std::uint64_t messages,
                              double time) {
  return steps_by(time, [&](std::uint64_t round) { return clock.together(nodes, round, messages); });
}

NoiseAlignment align_noise(const AlignmentOptions& options) {
  if (options.nodes < 2) fail(Fault::kConfig, "aligning noise needs two nodes or more");
  const LatencyClock clock(options.latency, options.seed, 0);
  NoiseAlignment aligned;
  aligned.visits = visits_by(clock, options.nodes, options.checkpoint);
  aligned.server_rounds = joint_rounds_by(clock, options.nodes, options.server_messages, options.checkpoint);
  aligned.gossip_rounds = joint_rounds_by(clock, options.nodes, options.gossip_steps, options.checkpoint);
  if (aligned.visits == 0 || aligned.server_rounds == 0 || aligned.gossip_rounds == 0) {
    fail(Fault::kConfig, "the checkpoint comes before the first round is over: choose a later one");
  }
  const SkipRing ring{options.sigma, options.clip, aligned.visits, options.nodes,
                      options.latency.skip_probability};
  const RandomGossip gossip{
      1, options.clip, aligned.gossip_rounds, options.nodes, options.edge_probability, options.gossip_steps};
  aligned.epsilon = skip_ring_epsilon(ring, options.delta, options.delta_visits, options.as_published);
  aligned.server_sigma = aligned_central_sigma(ring, aligned.server_rounds, options.clip,
                                               options.delta_visits, options.as_published);
  aligned.gossip_sigma = aligned_gossip_sigma(ring, gossip, options.delta_visits, options.as_published);
  return aligned;
}

}  // namespace earshot
