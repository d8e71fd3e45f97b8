#include "earshot/accounting/topology_accounting.hpp"

#include <cmath>

#include <fmt/format.h>

#include "earshot/accounting/calibration.hpp"
#include "earshot/accounting/gaussian_curve.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

void require(bool holds, const char* sentence) {
  if (!holds) fail(Fault::kConfig, sentence);
}

void require_probability(double value, const char* what) {
  if (!(value > 0 && value < 1))
    fail(Fault::kConfig, fmt::format("{} must lie strictly between 0 and 1, not {}", what, value));
}

void require_noise(double sigma, double clip) {
  require(sigma > 0 && std::isfinite(sigma), "sigma must be positive and finite");
  require(clip > 0 && std::isfinite(clip), "the clipping norm must be positive and finite");
}

void check(const SkipRing& ring) {
  require_noise(ring.sigma, ring.clip);
  require(ring.nodes > 0, "a ring has at least one node");
  require(ring.skip >= 0 && ring.skip < 1, "the skipping probability must lie in [0, 1)");
}

/// `releases` Gaussian releases of a value that another data set moves by 2 clip.
double composed_epsilon(double clip, double sigma, std::uint64_t releases, double delta, bool as_published) {
  require_probability(delta, "delta");
  if (releases == 0) return 0;
  const double mu = compose_gaussian(2 * clip / sigma, releases);
  if (!as_published) return gaussian_epsilon(mu, delta);
  const double rho = mu * mu / 2;
  return rho + 2 * std::sqrt(rho * std::log(1 / delta));
}

PrivacyStatement statement_of(double epsilon, double delta, std::string adversary, std::uint64_t releases,
                              bool as_published) {
  PrivacyStatement statement;
  statement.epsilon = epsilon;
  statement.delta = delta;
  statement.unit = "one node's whole data";
  statement.adjacency = "replace the node's data by any other (sensitivity 2 x clipping norm)";
  statement.adversary = std::move(adversary);
  statement.assumptions = {
      fmt::format("{} noised updates of one node are seen", releases),
      as_published ? "zCDP composition with the classic conversion, as published"
                   : "exact composition of Gaussian releases (Dong, Roth & Su 2022)",
      "the average update is clipped as one vector; no amplification by sampling is credited"};
  return statement;
}

}  // namespace

std::uint64_t skip_ring_participations(const SkipRing& ring, double delta_visits) {
  check(ring);
  require_probability(delta_visits, "delta of the number of visits");
  const double expected =
      static_cast<double>(ring.visits) * (1 - ring.skip) / static_cast<double>(ring.nodes);
  return static_cast<std::uint64_t>(
      std::ceil(expected + std::sqrt(3 * expected * std::log(1 / delta_visits))));
}

double skip_ring_epsilon(const SkipRing& ring, double delta, double delta_visits, bool as_published) {
  return composed_epsilon(ring.clip, ring.sigma, skip_ring_participations(ring, delta_visits), delta,
                          as_published);
}

PrivacyStatement skip_ring_statement(const SkipRing& ring, double delta, double delta_visits,
                                     bool as_published) {
  const std::uint64_t participations = skip_ring_participations(ring, delta_visits);
  PrivacyStatement statement = statement_of(
      skip_ring_epsilon(ring, delta, delta_visits, as_published), delta + delta_visits,
      "any other node of the ring: it sees the token when its turn comes", participations, as_published);
  statement.definition = "(epsilon, delta)-network differential privacy";
  statement.assumptions.push_back(
      fmt::format("a node takes part at most {} times except with probability {:g} (Chernoff; {} visits, {} "
                  "nodes, skipping "
                  "probability {:g})",
                  participations, delta_visits, ring.visits, ring.nodes, ring.skip));
  return statement;
}

double central_epsilon(const CentralTraining& training, double delta, bool as_published) {
  require_noise(training.sigma, training.clip);
  return composed_epsilon(training.clip, training.sigma, training.rounds, delta, as_published);
}

PrivacyStatement central_statement(const CentralTraining& training, double delta, bool as_published) {
  PrivacyStatement statement =
      statement_of(central_epsilon(training, delta, as_published), delta,
                   "the server, and anyone who hears what a node sends", training.rounds, as_published);
  statement.definition = "(epsilon, delta)-local differential privacy of the whole run";
  return statement;
}

double aligned_central_sigma(const SkipRing& ring, std::uint64_t rounds, double clip, double delta,
                             double delta_visits, bool as_published) {
  require(rounds > 0, "noise cannot be aligned for zero rounds");
  const double target = skip_ring_epsilon(ring, delta, delta_visits, as_published);
  return least_noise(
      [&](double sigma) {
        return central_epsilon({sigma, clip, rounds}, delta, as_published);
      },
      target);
}

}  // namespace earshot
