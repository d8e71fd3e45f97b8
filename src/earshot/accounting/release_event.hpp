// What somebody was allowed to see, as plain data: a tree of release events that any accountant can
// interpret.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "earshot/core/json.hpp"

namespace earshot {

struct ReleaseEvent;
using ReleasePointer = std::shared_ptr<const ReleaseEvent>;

/// value + N(0, sigma^2 I); noise_multiplier = sigma / L2 sensitivity.
struct GaussianRelease {
  double noise_multiplier = 0;
};

/// value + independent Laplace noise per coordinate; noise_multiplier = scale / L1 sensitivity.
struct LaplaceRelease {
  double noise_multiplier = 0;
};

/// Integers + discrete Gaussian noise N_Z(0, sigma^2) per coordinate (Canonne, Kamath & Steinke 2020);
/// `sensitivity` is the L2 sensitivity, both in steps of the grid.
struct DiscreteGaussianRelease {
  double sigma = 0;
  double sensitivity = 1;
  std::size_t dimension = 1;
};

/// Integers + noise with P(k) proportional to exp(-|k| / scale) per coordinate; `sensitivity` is the L1
/// sensitivity, both in steps of the grid.
struct DiscreteLaplaceRelease {
  double scale = 0;
  std::uint64_t sensitivity = 1;
};

/// A mechanism with finitely many outcomes: their probabilities on the two neighbours that are easiest to
/// tell apart, (p, q) and its reverse. The pair must dominate every pair of neighbours.
struct FinitePairRelease {
  std::string name;
  std::vector<double> p;
  std::vector<double> q;
};

/// Any mechanism by its privacy curve: it is (epsilon[i], delta[i])-DP for every i. Epsilons ascend, deltas
/// descend.
struct CurveRelease {
  std::string name;
  std::vector<double> epsilon;
  std::vector<double> delta;
};

/// Any epsilon-DP mechanism of which nothing more is known.
struct PureRelease {
  std::string name;
  double epsilon = 0;
};

/// Any mechanism that is rho-zCDP (Bun & Steinke 2016).
struct ConcentratedRelease {
  std::string name;
  double rho = 0;
};

/// d-privacy (metric privacy): P[S | x] <= e^(epsilon d(x,x')) (P[S | x'] + delta) per release. `distance`
/// says what one unit of d is.
struct MetricRelease {
  std::string name;
  double epsilon = 0;
  double delta = 0;
  std::string distance;
};

/// Seen without protection.
struct NotPrivateRelease {
  std::string reason;
};

/// `inner` applied to a sample that holds every record independently with probability `rate`. Issued only by
/// the code that drew such a sample; its guarantee is about adding or removing a record.
struct PoissonSampledRelease {
  double rate = 0;
  ReleasePointer inner;
};

/// `inner` applied to `sample` of `population` records drawn uniformly without replacement; its guarantee is
/// about replacing a record.
struct SampledWithoutReplacementRelease {
  std::uint64_t population = 0;
  std::uint64_t sample = 0;
  ReleasePointer inner;
};

struct RepeatedRelease {
  std::uint64_t count = 0;
  ReleasePointer inner;
};

struct ComposedRelease {
  std::vector<ReleasePointer> parts;
};

struct ReleaseEvent {
  using Kind = std::variant<GaussianRelease, LaplaceRelease, DiscreteGaussianRelease, DiscreteLaplaceRelease,
                            FinitePairRelease, CurveRelease, PureRelease, ConcentratedRelease, MetricRelease,
                            NotPrivateRelease, PoissonSampledRelease, SampledWithoutReplacementRelease,
                            RepeatedRelease, ComposedRelease>;
  Kind kind;
};

/// Checks the parameters and fails with a sentence when one is impossible (NaN, negative noise, rate above 1,
/// probabilities that do not sum to 1, ...).
ReleasePointer make_release(ReleaseEvent::Kind kind);
ReleasePointer repeated(std::uint64_t count, ReleasePointer inner);
ReleasePointer poisson_sampled(double rate, ReleasePointer inner);

/// "gaussian", "poisson_sampled", ...: the name in JSON and in messages.
std::string kind_name(const ReleaseEvent& event);

/// One sentence for people: "Gaussian noise, multiplier 2".
std::string describe(const ReleaseEvent& event);

/// {"kind": "gaussian", "noise_multiplier": 2}; inner events nested. Numbers round-trip exactly.
Json to_json(const ReleaseEvent& event);
/// The inverse; refuses unknown kinds and keys, and trees deeper than a release can sensibly be.
ReleasePointer release_from_json(const Json& json);

}  // namespace earshot
