#include "earshot/accounting/topology_accounting.hpp"

#include <algorithm>
#include <cmath>

#include <boost/math/distributions/binomial.hpp>
#include <fmt/format.h>

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

/// Of a value that another data set moves by 2 clip; `releases` need not be whole: shares count too.
double composed_mu(double clip, double sigma, double releases) {
  return 2 * clip / sigma * std::sqrt(releases);
}

double epsilon_of(double mu, double delta, bool as_published) {
  require_probability(delta, "delta");
  if (mu == 0) return 0;
  if (!as_published) return gaussian_epsilon(mu, delta);
  const double rho = mu * mu / 2;
  return rho + 2 * std::sqrt(rho * std::log(1 / delta));
}

double ring_mu(const SkipRing& ring, double delta_visits, bool as_published) {
  const auto releases = static_cast<double>(skip_ring_participations(ring, delta_visits, as_published));
  return composed_mu(ring.clip, ring.sigma, releases);
}

/// The least k that a binomial variable exceeds with probability `tail` at most.
std::uint64_t binomial_bound(std::uint64_t trials, double success, double tail) {
  using namespace boost::math::policies;
  using Law = boost::math::binomial_distribution<double, policy<discrete_quantile<integer_round_up>>>;
  if (trials == 0 || success == 1) return trials;
  const Law law(static_cast<double>(trials), success);
  auto bound = static_cast<std::uint64_t>(quantile(complement(law, tail)));
  const auto exceeded = [&](std::uint64_t k) { return k < trials && cdf(complement(law, k)) > tail; };
  while (exceeded(bound)) ++bound;  // the quantile is rounded by its own tolerance
  while (bound > 0 && !exceeded(bound - 1)) --bound;
  return std::min(bound, trials);
}

void check(const RandomGossip& gossip) {
  require_noise(gossip.sigma, gossip.clip);
  require(gossip.nodes > 1, "gossip needs two nodes or more");
  require(gossip.gossip_steps > 0, "gossip needs at least one step");
  require(gossip.edge_probability >= 0 && gossip.edge_probability <= 1,
          "the probability of an edge must lie in [0, 1]");
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

std::uint64_t skip_ring_participations(const SkipRing& ring, double delta_visits, bool as_published) {
  check(ring);
  require_probability(delta_visits, "delta of the number of visits");
  if (!as_published) {
    const std::uint64_t turns = (ring.visits + ring.nodes - 1) / ring.nodes;
    return binomial_bound(turns, 1 - ring.skip, delta_visits);
  }
  const double expected =
      static_cast<double>(ring.visits) * (1 - ring.skip) / static_cast<double>(ring.nodes);
  return static_cast<std::uint64_t>(
      std::ceil(expected + std::sqrt(3 * expected * std::log(1 / delta_visits))));
}

double skip_ring_epsilon(const SkipRing& ring, double delta, double delta_visits, bool as_published) {
  return epsilon_of(ring_mu(ring, delta_visits, as_published), delta, as_published);
}

PrivacyStatement skip_ring_statement(const SkipRing& ring, double delta, double delta_visits,
                                     bool as_published) {
  const std::uint64_t participations = skip_ring_participations(ring, delta_visits, as_published);
  PrivacyStatement statement = statement_of(
      skip_ring_epsilon(ring, delta, delta_visits, as_published), delta + delta_visits,
      "any other node of the ring: it sees the token when its turn comes", participations, as_published);
  statement.definition = "(epsilon, delta)-network differential privacy";
  statement.assumptions.push_back(
      fmt::format("a node takes part at most {} times except with probability {:g} ({}; {} visits, {} nodes, "
                  "skipping probability {:g})",
                  participations, delta_visits, as_published ? "Chernoff" : "binomial law of its turns",
                  ring.visits, ring.nodes, ring.skip));
  return statement;
}

double central_epsilon(const CentralTraining& training, double delta, bool as_published) {
  require_noise(training.sigma, training.clip);
  return epsilon_of(composed_mu(training.clip, training.sigma, static_cast<double>(training.rounds)), delta,
                    as_published);
}

PrivacyStatement central_statement(const CentralTraining& training, double delta, bool as_published) {
  PrivacyStatement statement =
      statement_of(central_epsilon(training, delta, as_published), delta,
                   "the server, and anyone who hears what a node sends", training.rounds, as_published);
  statement.definition = "(epsilon, delta)-local differential privacy of the whole run";
  return statement;
}

double random_gossip_share(const RandomGossip& gossip) {
  check(gossip);
  const double nodes = static_cast<double>(gossip.nodes);
  const double q = gossip.edge_probability;
  const double degree = q * (nodes - 1);
  const double distant = 2 * static_cast<double>(gossip.gossip_steps) * degree / (nodes - degree);
  return q + (1 - q) * std::min(1.0, distant);
}

double random_gossip_epsilon(const RandomGossip& gossip, double delta, bool as_published) {
  const double releases = random_gossip_share(gossip) * static_cast<double>(gossip.rounds);
  return epsilon_of(composed_mu(gossip.clip, gossip.sigma, releases), delta, as_published);
}

PrivacyStatement random_gossip_statement(const RandomGossip& gossip, double delta, bool as_published) {
  PrivacyStatement statement =
      statement_of(random_gossip_epsilon(gossip, delta, as_published), delta,
                   "another node, averaged over the random graphs", gossip.rounds, as_published);
  statement.definition = "mean of published pairwise network losses: an average, not a guarantee";
  statement.assumptions.push_back(
      fmt::format("a round gives another node {:.3g} of what a server would hear (published formula for "
                  "random graphs; not an upper bound)",
                  random_gossip_share(gossip)));
  return statement;
}

double aligned_central_sigma(const SkipRing& ring, std::uint64_t rounds, double clip, double delta_visits,
                             bool as_published) {
  require(rounds > 0, "noise cannot be aligned for zero rounds");
  require_noise(ring.sigma, clip);
  // Epsilon rises with mu alone, and mu falls as 1 / sigma.
  return composed_mu(clip, 1, static_cast<double>(rounds)) / ring_mu(ring, delta_visits, as_published);
}

double aligned_gossip_sigma(const SkipRing& ring, const RandomGossip& gossip, double delta_visits,
                            bool as_published) {
  require(gossip.rounds > 0, "noise cannot be aligned for zero rounds");
  const double releases = random_gossip_share(gossip) * static_cast<double>(gossip.rounds);
  return composed_mu(gossip.clip, 1, releases) / ring_mu(ring, delta_visits, as_published);
}

}  // namespace earshot
