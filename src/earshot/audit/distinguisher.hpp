// Tells two neighbouring inputs apart by sampling, and bounds epsilon from below by how well that went.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "earshot/core/progress.hpp"
#include "earshot/core/random.hpp"

namespace earshot {

/// What one run of a black box shows: a score whose size speaks for one of the inputs, or the number of a
/// category, which means nothing by itself.
enum class Observation { kScore, kCategory };

/// A mechanism on two neighbouring inputs, 0 and 1, of which nothing is known but what it puts out.
struct BlackBox {
  Observation observation = Observation::kScore;
  std::function<double(std::size_t input, Stream& stream)> run;
};

struct DistinguisherOptions {
  std::size_t samples = 200'000;  // per input: one half chooses the event, the other tests it
  double false_alarm = 1e-6;      // probability of a bound above the true epsilon
  std::uint64_t seed = 1;
};

/// A set of observations: scores on one side of a threshold, or some categories.
struct Event {
  enum class Kind { kAtLeast, kAtMost, kCategories };
  Kind kind = Kind::kAtLeast;
  double threshold = 0;
  std::vector<double> categories;  // ascending

  bool contains(double observation) const;
};
std::string describe(const Event& event);

/// What the tests of one event showed.
struct EpsilonBound {
  double epsilon = 0;  // no mechanism with a smaller one behaves like this, up to false alarms
  Event event;
  std::size_t likelier = 0;  // the input under which the event is likelier
  std::uint64_t likelier_hits = 0;
  std::uint64_t other_hits = 0;
  std::uint64_t trials = 0;  // per input
  double likelier_at_least = 0;
  double other_at_most = 1;
};

/// ln((p - delta) / q) for the probabilities p and q of `event`, bounded against us by Clopper & Pearson at
/// `miss` each; 0 when nothing can be said.
EpsilonBound bound_of_hits(std::uint64_t likelier_hits, std::uint64_t other_hits, std::uint64_t trials,
                           double delta, double miss);

/// The largest bound these samples could ever give, when the event always happens under one input and never
/// under the other: a claim above it cannot be refuted.
double largest_bound(double delta, const DistinguisherOptions& options);

/// Every (epsilon, delta)-DP mechanism has P[S | x] <= e^epsilon P[S | x'] + delta for every event S and both
/// orders of the inputs. Half of the samples choose S for each order; the other, independent half bounds
/// P[S | x] from below and P[S | x'] from above, each at false_alarm / 4, so that by the union bound all
/// four hold together with probability 1 - false_alarm, and so does the larger of the two epsilons.
EpsilonBound epsilon_lower_bound(const BlackBox& box, double delta, const DistinguisherOptions& options,
                                 Progress* progress = nullptr);

}  // namespace earshot
