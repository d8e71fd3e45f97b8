// Clipping: how values are made bounded before noise is added, and how far apart that leaves neighbours.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace earshot {

enum class Norm { kL1, kL2 };
std::string norm_name(Norm norm);

/// Neighbouring inputs: the protected unit's contribution is replaced by any other, or added or removed.
enum class Adjacency { kReplace, kAddRemove };
std::string adjacency_name(Adjacency adjacency);

/// What is clipped before it is summed, averaged or sent.
enum class ClipScope {
  kExample,  // each example's contribution; the sum is released
  kBatch,    // the average over a batch, as one vector; the average is released
  kNode      // everything one node sends in a round, as one vector
};

/// L1 or L2 norm of a value that must be finite; neither overflows nor underflows before the result does.
double norm_of(Norm norm, std::span<const double> value);

/// Scales `value` down onto the ball of radius `bound` if it lies outside; the result's norm is at most
/// `bound` in exact arithmetic, not just up to rounding. Values that are not finite are refused. Returns the
/// factor applied, 1 when nothing was done.
double clip(Norm norm, double bound, std::span<double> value);

/// Clips each of the `examples` (rows of `dimension` numbers) in place and returns their sum.
std::vector<double> clipped_sum(Norm norm, double bound, std::span<double> examples, std::size_t dimension);

/// How far what is released can move between neighbours that differ in one protected unit (an example for
/// kExample and kBatch, a node for kNode). Clipping the batch average bounds it by `bound` whatever one
/// example does, but one example can move it anywhere in the ball: 2 bound, without the 1/B that averaging
/// clipped examples would give.
double clipped_sensitivity(ClipScope scope, double bound, Adjacency adjacency);

}  // namespace earshot
