// What an adversary who knows prior and mechanism learns from a report, and how exposed single places are.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "earshot/collect/location/channel.hpp"

namespace earshot {

/// P(truth | report); fails if the report is impossible.
std::vector<double> posterior(std::span<const double> prior, const Channel& channel, std::size_t report);

/// The guess of least expected distance for every report (Shokri et al. 2011): the best any adversary can do
/// on average.
struct BayesAttack {
  std::vector<std::size_t> guess{};  // one per report
  double expected_error = 0;         // in units of distance
  double error_without_report = 0;   // of the best guess from the prior alone
  std::size_t guess_without_report = 0;
};
/// `between_truths` holds the distances of truths to guesses, which are truths as well.
BayesAttack bayes_attack(std::span<const double> prior, const Channel& channel,
                         const Distances& between_truths);

/// Probability that the truth is among the k most likely given the report; k = 1: Bayes vulnerability.
double top_k_success(std::span<const double> prior, const Channel& channel, std::size_t k);

/// What a mechanism reports of somebody at one place.
struct PlaceExposure {
  std::size_t mode = 0;  // the likeliest report
  double mode_probability = 0;
  double self = 0;               // probability of reporting the place itself
  double zone = 0;               // probability of reporting a place of the zone
  double expected_distance = 0;  // of the report, over the reports that are places
};
/// `place` is a row; reports [0, places) must be the places themselves, in their order, and any further ones
/// lie off the map.
PlaceExposure place_exposure(const Channel& channel, const Distances& distances, std::size_t place,
                             std::span<const std::size_t> zone);

struct MassAt {
  std::size_t place = 0;
  double mass = 0;
};
/// An island: a prior whose `zone` is emptied, with masses added to some places (Biswas 2024, section 3.4).
/// The masses must add up to what the zone held, within 1e-6; the rest of the rounding is divided out.
std::vector<double> island_prior(std::span<const double> prior, std::span<const std::size_t> zone,
                                 std::span<const MassAt> added);

/// The prior a collector believes when a share of all reporters claims to be at `place`: (1 - share) prior +
/// share at place.
std::vector<double> contaminated_prior(std::span<const double> prior, std::size_t place, double share);

}  // namespace earshot
