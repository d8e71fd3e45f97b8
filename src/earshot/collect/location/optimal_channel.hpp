// The geo-indistinguishable mechanism that serves a given prior best, by linear programming.
#pragma once

#include <cstddef>
#include <span>

#include "earshot/collect/location/channel.hpp"

namespace earshot {

struct OptimalChannel {
  Channel channel;
  double loss = 0;              // expected distance from truth to report under the prior
  std::size_t constraints = 0;  // of the program that was solved
};

/// Beyond it the program has more than ten million entries.
inline constexpr std::size_t kMostOptimalPlaces = 150;

/// Minimises the expected loss sum_x prior(x) sum_y P[y | x] loss(x, y) over all epsilon-d-private channels
/// (Bordenabe, Chatzikokolakis & Palamidessi 2014). The constraints are those of the edges of a greedy
/// spanner at epsilon / dilation, which imply all others: the loss is optimal for dilation 1 and at most that
/// of epsilon / dilation otherwise, with far fewer constraints. What the solver's tolerance leaves open is
/// mended afterwards, so that the channel itself is epsilon-d-private.
OptimalChannel optimal_channel(std::span<const double> prior, const Distances& metric, const Distances& loss,
                               double epsilon, double dilation);

}  // namespace earshot
