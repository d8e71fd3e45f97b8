// Mass at some places to be carried to others, and the bound that any prices give on its cost.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "earshot/collect/location/channel.hpp"

namespace earshot {

struct TransportProblem {
  std::vector<std::size_t> sources{};
  std::vector<std::size_t> sinks{};
  std::vector<double> from{};  // mass of every source
  std::vector<double> to{};    // mass of every sink
  const Distances& distances;

  double distance(std::size_t source, std::size_t sink) const {
    return distances(sources[source], sinks[sink]);
  }
};

/// Fails unless both are distributions over the rows and columns of finite distances of at least 0.
void check_transport(std::span<const double> from, std::span<const double> to, const Distances& distances);

/// Kantorovich's dual value of prices paid at the sinks, with the best prices at the sources that allow them
/// and then the best at the sinks again: no plan costs less.
double transport_lower_bound(const TransportProblem& problem, std::span<const double> sink_prices);

}  // namespace earshot
