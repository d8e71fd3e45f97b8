// What a release event promises about one pair of inputs, in the numbers an audit can test.
#pragma once

#include <string>

#include "earshot/accounting/release_event.hpp"

namespace earshot {

/// P[S | x] <= e^epsilon P[S | x'] + delta for every event S.
struct Claim {
  double epsilon = 0;
  double delta = 0;
  std::string method;  // how epsilon was read off the release
};

/// At delta = 0 the largest possible loss of the release's own privacy curve, else what an accountant proves
/// at `delta`: by privacy-loss distributions, or by Renyi divergences where nothing more is known. Metric
/// privacy, which says e^(epsilon d) (P[S | x'] + delta), is read at the given distance and brings its own
/// delta, so that `delta` must be 0. Fails when the release promises nothing.
Claim claim_of(const ReleaseEvent& event, double delta, double distance);

}  // namespace earshot
