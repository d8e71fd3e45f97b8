// Blahut-Arimoto beside the Laplace kernel that is as private, as far off, or tells as much.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "earshot/collect/location/channel.hpp"

namespace earshot {

/// What a Laplace kernel has in common with the channel it is compared with.
enum class MatchedBy {
  kPrivacy,      // the measured epsilon, set as the kernel's (Biswas 2024, Figure 3.3)
  kDistortion,   // the average distance of reports
  kInformation,  // the mutual information
};

/// Reports may lie on a wider map than truths.
struct LaplaceMap {
  const Distances& between_truths;
  const Distances& to_reports;
};

/// The epsilon of the Laplace kernel exp(-epsilon d) / Z that matches `channel`, whose reports are its
/// truths. By privacy it is what the checker measures on `channel`; otherwise found by bisection, to 1e-9.
double matching_epsilon(MatchedBy what, std::span<const double> prior, const Channel& channel,
                        const LaplaceMap& map);

/// Everything that is compared about a mechanism, given the distribution estimated from its reports.
struct MechanismScore {
  double epsilon = 0;          // measured, per unit of distance
  double information = 0;      // bits
  double distortion = 0;       // average distance of a report
  double emd = 0;              // from estimate to truth
  double adversary_error = 0;  // of the best guess, on average
  double adversary_top1 = 0;   // how often it is right
};
MechanismScore score_mechanism(std::span<const double> prior, const Channel& channel, const LaplaceMap& map,
                               std::span<const double> estimate);

}  // namespace earshot
