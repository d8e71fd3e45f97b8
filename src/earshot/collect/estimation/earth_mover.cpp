#include "earshot/collect/estimation/earth_mover.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include <lemon/network_simplex.h>
#include <lemon/smart_graph.h>

#include "earshot/collect/estimation/distribution.hpp"
#include "earshot/collect/estimation/transport_problem.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using Graph = lemon::SmartDigraph;

constexpr double kMassUnits = 0x1p50;
constexpr double kCostUnits =
    0x1p40;  // the largest cost; potentials stay below nodes times that, far from overflow

/// Shares in whole units of 2^-50; what rounding leaves goes to the largest.
std::vector<std::int64_t> whole_units(std::span<const double> shares) {
  std::vector<std::int64_t> units(shares.size());
  for (std::size_t i = 0; i < shares.size(); ++i) units[i] = std::llround(shares[i] * kMassUnits);
  *std::ranges::max_element(units) +=
      static_cast<std::int64_t>(kMassUnits) - std::accumulate(units.begin(), units.end(), std::int64_t{0});
  return units;
}

void keep_common_mass(std::vector<std::int64_t>& from, std::vector<std::int64_t>& to) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    const std::int64_t common = std::min(from[i], to[i]);
    from[i] -= common;
    to[i] -= common;
  }
}

std::vector<std::size_t> positive_places(const std::vector<std::int64_t>& units) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (units[i] > 0) places.push_back(i);
  }
  return places;
}

/// Sources and sinks of positive mass, every pair of them an arc.
class TransportNetwork {
 public:
  TransportNetwork(const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to,
                   const Distances& distances)
      : sources_(positive_places(from)),
        sinks_(positive_places(to)),
        distances_(distances),
        supply_(graph_),
        cost_(graph_) {
    const double scale = kCostUnits / largest_distance();
    graph_.reserveNode(static_cast<int>(sources_.size() + sinks_.size()));
    graph_.reserveArc(static_cast<int>(sources_.size() * sinks_.size()));
    for (const std::size_t x : sources_) supply_[graph_.addNode()] = from[x];
    for (const std::size_t y : sinks_) supply_[graph_.addNode()] = -to[y];
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      for (std::size_t j = 0; j < sinks_.size(); ++j)
        cost_[graph_.addArc(source(i), sink(j))] = std::llround(distances_(sources_[i], sinks_[j]) * scale);
    }
  }

  TransportCost solve() {
    lemon::NetworkSimplex<Graph, std::int64_t, std::int64_t> simplex(graph_);
    simplex.costMap(cost_).supplyMap(supply_);
    if (simplex.run() != simplex.OPTIMAL)
      fail(Fault::kInternal, "a transport problem with equal masses has no optimum");
    TransportCost cost;
    std::vector<double> prices(sinks_.size());
    for (std::size_t j = 0; j < sinks_.size(); ++j)
      prices[j] = static_cast<double>(simplex.potential(sink(j))) * largest_distance() / kCostUnits;
    for (Graph::ArcIt arc(graph_); arc != lemon::INVALID; ++arc) {
      const auto i = static_cast<std::size_t>(Graph::id(graph_.source(arc)));
      const std::size_t j = static_cast<std::size_t>(Graph::id(graph_.target(arc))) - sources_.size();
      cost.distance +=
          static_cast<double>(simplex.flow(arc)) / kMassUnits * distances_(sources_[i], sinks_[j]);
    }
    cost.lower_bound = transport_lower_bound(problem(), prices);
    return cost;
  }

 private:
  static Graph::Node source(std::size_t i) { return Graph::nodeFromId(static_cast<int>(i)); }
  Graph::Node sink(std::size_t j) const { return Graph::nodeFromId(static_cast<int>(sources_.size() + j)); }

  double largest_distance() const {
    const double largest = std::ranges::max(distances_.value);
    return largest > 0 ? largest : 1;
  }

  TransportProblem problem() const {
    TransportProblem problem{sources_, sinks_, {}, {}, distances_};
    for (std::size_t i = 0; i < sources_.size(); ++i)
      problem.from.push_back(static_cast<double>(supply_[source(i)]) / kMassUnits);
    for (std::size_t j = 0; j < sinks_.size(); ++j)
      problem.to.push_back(-static_cast<double>(supply_[sink(j)]) / kMassUnits);
    return problem;
  }

  std::vector<std::size_t> sources_;
  std::vector<std::size_t> sinks_;
  const Distances& distances_;
  Graph graph_{};
  Graph::NodeMap<std::int64_t> supply_;
  Graph::ArcMap<std::int64_t> cost_;
};

void check_metric_shape(const Distances& distances) {
  bool zero_diagonal = distances.inputs == distances.outputs;
  for (std::size_t i = 0; zero_diagonal && i < distances.inputs; ++i) zero_diagonal = distances(i, i) == 0;
  if (!zero_diagonal)
    fail(Fault::kData, "a metric is zero between a place and itself; say that the cost is not a metric");
}

}  // namespace

TransportCost earth_movers_distance(std::span<const double> from, std::span<const double> to,
                                    const Distances& distances, GroundCost cost) {
  check_transport(from, to, distances);
  std::vector<std::int64_t> supply = whole_units(from);
  std::vector<std::int64_t> demand = whole_units(to);
  if (cost == GroundCost::kMetric) {
    check_metric_shape(distances);
    keep_common_mass(supply, demand);
  }
  if (std::ranges::all_of(supply, [](std::int64_t units) { return units == 0; })) return {};
  return TransportNetwork(supply, demand, distances).solve();
}

}  // namespace earshot
