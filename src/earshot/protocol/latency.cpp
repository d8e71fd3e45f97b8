#include "earshot/protocol/latency.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <boost/math/distributions/normal.hpp>

#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"

namespace earshot {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double timeout_of(const LatencyOptions& options) {
  if (options.skip_probability == 0) return kInfinity;
  if (options.law == LatencyLaw::kNone) {
    fail(Fault::kConfig, "nodes can only be too late if they take time; choose a latency law");
  }
  return latency_quantile(options.law, 1 - options.skip_probability);
}

}  // namespace

std::vector<Parameter> latency_parameters() {
  return {choice_parameter("latency", "none", {"none", "exponential", "uniform", "lognormal"},
                           "law of the time a node needs for a step, of mean 1; none: no clock"),
          real_parameter("communication", 1, 0, 1e9, "time one message takes, in the same unit"),
          real_parameter("skip_probability", 0, 0, 0.999999,
                         "share of visits in which a node is later than the time-out, and is skipped")};
}

LatencyOptions latency_options(const Settings& settings) {
  const std::string law = settings.text("latency");
  LatencyOptions options;
  options.law = law == "exponential" ? LatencyLaw::kExponential
                : law == "uniform"   ? LatencyLaw::kUniform
                : law == "lognormal" ? LatencyLaw::kLognormal
                                     : LatencyLaw::kNone;
  options.communication = settings.real("communication");
  options.skip_probability = settings.real("skip_probability");
  return options;
}

double latency_quantile(LatencyLaw law, double probability) {
  switch (law) {
    case LatencyLaw::kNone:
      return 0;
    case LatencyLaw::kExponential:
      return -std::log1p(-probability);
    case LatencyLaw::kUniform:
      return 2 * probability;
    case LatencyLaw::kLognormal:
      // Of mean 1 with a deviation of 1 in the logarithm.
      return probability == 0 ? 0 : std::exp(boost::math::quantile(boost::math::normal(), probability) - 0.5);
  }
  fail(Fault::kInternal, "unknown latency law");
}

LatencyClock::LatencyClock(const LatencyOptions& options, std::uint64_t seed, std::uint64_t trial)
    : options_(options), seed_(seed), trial_(trial), timeout_(timeout_of(options)) {}

double LatencyClock::latency(NodeId node, std::uint64_t round) const {
  if (!runs()) return 0;
  return latency_quantile(options_.law, Stream({seed_, Purpose::kLatency, trial_, node, round}).uniform());
}

double LatencyClock::visit(NodeId node, std::uint64_t round) const {
  return options_.communication + std::min(latency(node, round), timeout_);
}

double LatencyClock::together(std::size_t nodes, std::uint64_t round, std::size_t messages) const {
  double slowest = 0;
  for (NodeId node = 0; node < nodes && slowest < timeout_; ++node) {
    slowest = std::max(slowest, latency(node, round));
  }
  return static_cast<double>(messages) * options_.communication + std::min(slowest, timeout_);
}

}  // namespace earshot
