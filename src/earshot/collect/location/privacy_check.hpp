// How private a channel really is: measured on the matrix itself, with the truths and the report that tell
// most.
#pragma once

#include <cstddef>

#include "earshot/collect/location/channel.hpp"

namespace earshot {

/// Refuses anything but a matrix of probabilities whose rows sum to 1 within 1e-9.
void check_channel(const Channel& channel);

/// The privacy loss of the worst case: `report` is likelier under `truth` than under `alternative`. Infinite
/// when it can happen under the one and not under the other. 0 for a channel with one truth, or whose rows
/// are all equal.
struct PrivacyLevel {
  double epsilon = 0;
  std::size_t truth = 0;
  std::size_t alternative = 0;
  std::size_t report = 0;
};

/// The least epsilon for which the channel is epsilon-d-private (Chatzikokolakis, Andres, Bordenabe &
/// Palamidessi 2013):
///   max over x, x', y of ln(P[y | x] / P[y | x']) / d(x, x').
/// The distance between truths need not be symmetric; pairs infinitely far apart are not asked to be alike,
/// and pairs at distance 0 must be.
PrivacyLevel metric_privacy(const Channel& channel, const Distances& metric);

/// The least epsilon of local differential privacy: the same with distance 1 between any two truths.
PrivacyLevel local_privacy(const Channel& channel);

/// The least delta for which the channel is (epsilon, delta)-geo-indistinguishable: for all truths x, x' and
/// sets S
///   P[S | x] <= e^(epsilon d(x, x')) (P[S | x'] + delta)     (Biswas 2024, Definition 4.3.1),
/// that is, max over x, x' of sum_y max(0, e^(-epsilon d(x, x')) P[y | x] - P[y | x']).
struct ApproximateLevel {
  double delta = 0;
  std::size_t truth = 0;
  std::size_t alternative = 0;
  /// The largest single term over all pairs in place of the sum (Biswas 2024, Theorem 4.3): it certifies
  /// single reports only and is too small for sets of them.
  double pointwise = 0;
};
ApproximateLevel approximate_privacy(const Channel& channel, const Distances& metric, double epsilon);

}  // namespace earshot
