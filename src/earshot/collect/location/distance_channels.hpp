// Channels that depend on distance alone: Laplace kernels, whole and truncated, the exponential mechanism,
// and randomised response.
#pragma once

#include <cstddef>

#include "earshot/collect/location/channel.hpp"

namespace earshot {

// Two rules hold for all of them. At epsilon = 0 every report that can happen is as likely as any other,
// whatever the truth. At epsilon = infinity the nearest report is certain (several at the same distance share
// it evenly). Between them, probabilities below the smallest double are 0: the channel is what will be
// sampled, and checks judge it as such.

/// P[y | x] = e^(-epsilon d(x, y)) / Z_x: the Laplace mechanism of Biswas & Palamidessi (2024). Normalising
/// the rows costs privacy where Z differs, at the border of a map above all: only 2 epsilon is certain, so
/// measure.
Channel laplace_kernel(const Distances& distances, double epsilon);

/// The same with 0 where d(x, y) > radius (Biswas 2024, Definition 4.3.2; the swapped branches of its
/// Algorithm 4 corrected).
Channel truncated_laplace_kernel(const Distances& distances, double epsilon, double radius);

/// The exponential mechanism with minus the distance as score (McSherry & Talwar 2007): the Laplace kernel at
/// epsilon / 2, which is epsilon-d-private for every metric, wherever the border lies.
Channel exponential_kernel(const Distances& distances, double epsilon);

/// The truth with probability e^epsilon / (e^epsilon + k - 1), any other place evenly (Kairouz, Oh &
/// Viswanath 2016): epsilon-locally differentially private, so epsilon / d between places at distance d.
Channel randomised_response_channel(std::size_t places, double epsilon);

}  // namespace earshot
