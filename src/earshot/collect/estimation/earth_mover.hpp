// Earth mover's distance between two distributions of places: how far mass has to be carried to make one the
// other.
#pragma once

#include <cstddef>
#include <span>

#include "earshot/collect/location/channel.hpp"

namespace earshot {

/// Both bounds on the minimum over couplings: a plan that was found, and prices that prove none is cheaper by
/// more.
struct TransportCost {
  double distance = 0;
  double lower_bound = 0;
};

/// With a metric (zero diagonal, symmetric, triangle inequality) mass that both have in common stays where it
/// is, which leaves a smaller problem; with any other cost that would be wrong.
enum class GroundCost { kMetric, kAny };

/// Exact up to rounding (about 1e-12 of the largest distance): network simplex on integer masses and costs,
/// because its pivots need exact comparisons; the plan it finds is then priced in floating point.
TransportCost earth_movers_distance(std::span<const double> from, std::span<const double> to,
                                    const Distances& distances, GroundCost cost = GroundCost::kMetric);

struct SinkhornOptions {
  double regularisation = 0.01;  // entropy's weight, in units of distance
  std::size_t iterations = 10'000;
  double tolerance = 1e-6;  // of the marginals in total variation
};

struct SinkhornCost : TransportCost {
  std::size_t iterations = 0;
  double marginal_error = 0;
};

/// Entropic transport (Cuturi 2013) in the logarithmic domain with a falling regularisation, its plan made
/// feasible as by Altschuler, Weed & Rigollet 2017: for domains too large for the exact solver. Both bounds
/// hold whether it has converged or not.
SinkhornCost sinkhorn_distance(std::span<const double> from, std::span<const double> to,
                               const Distances& distances, const SinkhornOptions& options);

}  // namespace earshot
