// The mechanisms of location privacy by name, made ready to sample for real people.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "earshot/collect/campaign/place_domain.hpp"

namespace earshot {

struct MechanismChoice {
  std::string name = "planar_laplace";
  double epsilon = 0;           // per unit of distance; of randomised_response: between any two places
  double radius = 0;            // of truncated_laplace, in units of distance
  std::size_t margin = 5;       // of laplace on a grid: cells around the map that can be reported
  std::size_t iterations = 10;  // of blahut_arimoto
  double dilation = 1.1;        // of optimal: constraints along a spanner that much longer than the way
  bool as_published = false;    // of laplace: epsilon is the kernel's, not what its normalised rows keep
  std::vector<double> prior{};  // of blahut_arimoto and optimal; empty: uniform
};

struct PlaceMechanism {
  ExactChannel channel;
  std::optional<PlaceGrid> reports;  // what the reports are, on a grid
  Distances to_reports;              // from every truth to every report
};

/// Everything `make_place_mechanism` knows, for messages and help.
const std::vector<std::string>& place_mechanism_names();

/// All keep the epsilon they are asked for, measured on the integers they are sampled from; truncated_laplace
/// with a delta. The promise of laplace holds because its kernel is made flatter until it does.
PlaceMechanism make_place_mechanism(const PlaceDomain& domain, const MechanismChoice& choice);

}  // namespace earshot
