// A simulated clock: how long nodes take, who is too late, and when a round is over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "earshot/core/schema.hpp"
#include "earshot/graph/graph.hpp"
#include "earshot/network/participant.hpp"

namespace earshot {

/// Time a node needs for its computation, of mean 1, which is the unit of the clock.
enum class LatencyLaw { kNone, kExponential, kUniform, kLognormal };

struct LatencyOptions {
  LatencyLaw law = LatencyLaw::kNone;
  double communication = 1;     // time of one message
  double skip_probability = 0;  // P[a node is later than the time-out]; 0: nobody is waited for in vain
};

/// "latency", "communication", "skip_probability".
std::vector<Parameter> latency_parameters();
LatencyOptions latency_options(const Settings& settings);

/// The time t with P[latency <= t] = `probability` (below 1).
double latency_quantile(LatencyLaw law, double probability);

/// Every latency is addressed by node and round: equal for every protocol that asks, in any order.
class LatencyClock {
 public:
  LatencyClock(const LatencyOptions& options, std::uint64_t seed, std::uint64_t trial);

  bool runs() const { return options_.law != LatencyLaw::kNone; }
  /// After which nobody is waited for; infinite without skipping.
  double timeout() const { return timeout_; }
  /// Of one message.
  double communication() const { return options_.communication; }
  double latency(NodeId node, std::uint64_t round) const;
  bool in_time(NodeId node, std::uint64_t round) const { return latency(node, round) <= timeout_; }

  /// A token's visit: one message and the node's time, at most the time-out (Yakimenka et al. 2022).
  double visit(NodeId node, std::uint64_t round) const;
  /// All nodes at once, waiting for the last one that is in time or for the time-out, and `messages` messages
  /// one after the other.
  double together(std::size_t nodes, std::uint64_t round, std::size_t messages) const;

 private:
  LatencyOptions options_;
  std::uint64_t seed_;
  std::uint64_t trial_;
  double timeout_;
};

}  // namespace earshot
