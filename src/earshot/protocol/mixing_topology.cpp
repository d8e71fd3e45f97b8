#include "earshot/protocol/mixing_topology.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"
#include "earshot/graph/topologies.hpp"

namespace earshot {

RandomMixing::RandomMixing(const RandomMixingOptions& options) : options_(options) {
  enter(0);
}

void RandomMixing::enter(Round round) {
  const Round training_round = round / options_.exchanges;
  if (drawn_for_ == training_round) return;
  graph_ = draw(training_round);
  weigh();
  drawn_for_ = training_round;
}

/// In floating point: the exact weights of a GossipMatrix would cost more than a round of gossip.
void RandomMixing::weigh() {
  const std::size_t nodes = graph_.node_count();
  weights_.resize(2 * graph_.edge_count());
  self_weights_.resize(nodes);
  std::size_t slot = 0;
  for (NodeId node = 0; node < nodes; ++node) {
    const std::size_t degree = graph_.degree(node);
    double given = 0;
    for (const NodeId other : graph_.neighbours(node)) {
      const double weight = 1 / static_cast<double>(1 + std::max(degree, graph_.degree(other)));
      weights_[slot++] = weight;
      given += weight;
    }
    self_weights_[node] = 1 - given;
  }
}

std::vector<std::string> RandomMixing::warnings() const {
  const auto nodes = static_cast<double>(options_.nodes);
  const double q = options_.edge_probability;
  const double c = options_.nodes > 1 ? q * nodes / std::log(nodes) : 0;
  std::vector<std::string> warnings;
  if (c <= 1) {
    warnings.push_back(
        fmt::format("graphs are drawn with q = {:.4g} = {:.3g} ln n / n: the theorems of Muffliato need more "
                    "than ln n / n, below which most graphs are not connected",
                    q, c));
  }
  if (!options_.connected && options_.nodes > 1) {
    const double isolated = expected_isolated_share(q, options_.nodes);
    if (isolated * nodes >= 0.01) {
      warnings.push_back(
          fmt::format("in an average round {:.3g} % of the nodes have no neighbour and keep their value",
                      100 * isolated));
    }
  }
  return warnings;
}

Graph RandomMixing::draw(Round training_round) const {
  // Round 0 of this address is the graph of a section [graph].
  Stream stream(
      {options_.seed, Purpose::kGraph, options_.trial, 0, static_cast<std::uint64_t>(training_round) + 1});
  return erdos_renyi(options_.nodes, options_.edge_probability, options_.connected, stream);
}

double connecting_probability(double c, std::size_t nodes) {
  const double q = c * std::log(static_cast<double>(nodes)) / static_cast<double>(nodes);
  if (!(q >= 0 && q <= 1)) {
    fail(Fault::kConfig,
         fmt::format("c = {} gives an edge probability of {:.3g} between {} nodes: give an edge_probability "
                     "from 0 to 1 instead",
                     c, q, nodes));
  }
  return q;
}

double expected_isolated_share(double edge_probability, std::size_t nodes) {
  return std::pow(1 - edge_probability, static_cast<double>(nodes) - 1);
}

}  // namespace earshot
