// How a channel treats each place: what a person there is exposed to, and how far their reports go.
#pragma once

#include <cstddef>
#include <vector>

#include "earshot/collect/location/channel.hpp"

namespace earshot {

struct RowProfile {
  double self_report = 0;        // probability of the report nearest to the truth
  std::size_t likeliest = 0;     // the report that happens most
  double expected_distance = 0;  // from truth to report
  double epsilon = 0;            // the least for which this place is d-private against every other
};

/// `loss` is the distance from truth to report, `metric` between truths. Elastic mechanisms (Biswas &
/// Palamidessi 2024, section 3.4) report a crowd nearby rather than an isolated place: its self-report is
/// small and its likeliest report elsewhere.
std::vector<RowProfile> row_profiles(const Channel& channel, const Distances& loss, const Distances& metric);

/// How far a channel is from the form of an elastic mechanism of mass q = prior C,
///   P[y | x] = q(y) e^(-beta d(x, y)) / Z_x     (Biswas 2024, Theorem 3.1):
/// the largest difference between P[y | x] and that form. 0 at the fixed point of Blahut-Arimoto.
double elastic_residual(const Channel& channel, const std::vector<double>& prior, const Distances& loss,
                        double beta);

}  // namespace earshot
