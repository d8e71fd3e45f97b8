// What a mechanism tells and what it costs: mutual information, and how far reports are from the truth.
#pragma once

#include <span>

#include "earshot/collect/location/channel.hpp"

namespace earshot {

double bits(double nats);
/// In nats.
double entropy(std::span<const double> distribution);
/// I(X;Y) in nats of a truth drawn from `prior` and its report.
double mutual_information(std::span<const double> prior, const Channel& channel);

/// The loss of quality of service: sum_x prior(x) sum_y C_xy d(x,y).
double average_distortion(std::span<const double> prior, const Channel& channel, const Distances& distances);
/// The smallest radius within which a report is with probability at least p, 0 < p <= 1.
double distortion_quantile(std::span<const double> prior, const Channel& channel, const Distances& distances,
                           double p);
/// Probability that a report is within `radius` of the truth.
double share_within(std::span<const double> prior, const Channel& channel, const Distances& distances,
                    double radius);

}  // namespace earshot
