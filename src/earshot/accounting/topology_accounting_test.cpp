#include "earshot/accounting/topology_accounting.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

struct Reference {
  double sigma;
  std::uint64_t visits, nodes;
  double skip;
  std::uint64_t participations;
  double epsilon;
};

/// Computed from the theorem as printed, at delta = delta' = 1e-6, clipping norm 1.
constexpr Reference kReferences[] = {
    {1, 1000, 1000, 1e-4, 8, 45.735378},      {1, 10000, 1000, 1e-4, 31, 120.534149},
    {1, 20000, 1000, 1e-4, 49, 171.591305},   {1, 20000, 1000, 0.5, 31, 120.534149},
    {1, 20000, 1000, 0.7, 22, 93.310545},     {0.1, 20000, 1000, 1e-4, 49, 10535.913},
    {0.01, 20000, 1000, 1e-4, 49, 987359.13}, {1, 20000, 10, 1e-4, 2288, 5078.8709},
    {1, 10000, 100, 1e-4, 165, 465.04249},    {1, 5000, 10, 1e-4, 644, 1554.7911}};

TEST(SkipRing, MeetsTheReferenceValues) {
  for (const Reference& r : kReferences) {
    const SkipRing ring{r.sigma, 1, r.visits, r.nodes, r.skip};
    EXPECT_EQ(skip_ring_participations(ring, 1e-6, true), r.participations);
    EXPECT_NEAR(skip_ring_epsilon(ring, 1e-6, 1e-6, true), r.epsilon, 1e-6 * r.epsilon);
    const double exact = skip_ring_epsilon(ring, 1e-6, 1e-6, false);
    EXPECT_LT(exact, r.epsilon);
    EXPECT_LE(skip_ring_participations(ring, 1e-6, false), (r.visits + r.nodes - 1) / r.nodes);
  }
}

/// The theorem as printed, term by term, against the form it simplifies to.
TEST(SkipRing, PrintedFormOfTheTheoremIsConcentratedComposition) {
  const SkipRing ring{2, 1, 20000, 1000, 0.3};
  const double delta = 1e-5;
  const auto count = static_cast<double>(skip_ring_participations(ring, 1e-6, true));
  const double one_step = std::sqrt(8 * std::log(1.25 / delta)) / ring.sigma;
  const double printed =
      one_step * std::sqrt(count * std::log(1 / delta)) / std::sqrt(std::log(1.25 / delta)) +
      one_step * one_step * count / (4 * std::log(1.25 / delta));
  EXPECT_NEAR(skip_ring_epsilon(ring, delta, 1e-6, true), printed, 1e-9 * printed);
}

/// P[a node takes more than k of 200 turns, each with probability 0.3], term by term.
double tail_beyond(std::uint64_t k) {
  double tail = 0;
  for (int j = static_cast<int>(k) + 1; j <= 200; ++j) {
    tail += std::exp(std::lgamma(201) - std::lgamma(j + 1) - std::lgamma(201 - j) + j * std::log(0.3) +
                     (200 - j) * std::log(0.7));
  }
  return tail;
}

TEST(SkipRing, ParticipationsAreExceededAsRarelyAsStated) {
  const SkipRing ring{1, 1, 200 * 7, 7, 0.7};
  for (const double delta_visits : {1e-1, 1e-3, 1e-6}) {
    EXPECT_LE(tail_beyond(skip_ring_participations(ring, delta_visits, true)), delta_visits);
    const std::uint64_t exact = skip_ring_participations(ring, delta_visits, false);
    EXPECT_LE(tail_beyond(exact), delta_visits);
    EXPECT_GT(tail_beyond(exact - 1), delta_visits);
  }
}

TEST(SkipRing, NobodyTakesPartMoreOftenThanThereAreTurns) {
  EXPECT_EQ(skip_ring_participations({1, 1, 20000, 1000, 1e-4}, 1e-6, false), 20U);
  EXPECT_EQ(skip_ring_participations({1, 1, 20001, 1000, 0}, 1e-6, false), 21U);
  EXPECT_EQ(skip_ring_participations({1, 1, 0, 1000, 0.5}, 1e-6, false), 0U);
  EXPECT_EQ(skip_ring_epsilon({1, 1, 0, 1000, 0.5}, 1e-6, 1e-6, false), 0);
}

TEST(RandomGossip, SharesWhatTheFormulaSays) {
  // c = 1 - 1e-4, two gossip steps: 29 times less than a server hears.
  const RandomGossip gossip{1, 1, 10, 1000, 0.9999 * std::log(1000.0) / 1000, 2};
  EXPECT_NEAR(random_gossip_share(gossip), 2 * 0.01725, 1e-5);
  // On a complete graph everybody hears everything.
  EXPECT_DOUBLE_EQ(random_gossip_share({1, 1, 10, 20, 1, 2}), 1);
  EXPECT_DOUBLE_EQ(random_gossip_epsilon({1, 1, 10, 20, 1, 2}, 1e-6, false),
                   central_epsilon({1, 1, 10}, 1e-6, false));
  EXPECT_EQ(random_gossip_epsilon({1, 1, 10, 20, 0, 2}, 1e-6, false), 0);
}

TEST(NoiseAlignment, GivesServerAndGossipTheRingsEpsilon) {
  for (const bool published : {false, true}) {
    const SkipRing ring{1.5, 1, 1000, 1000, 1e-4};
    const double epsilon = skip_ring_epsilon(ring, 1e-6, 1e-6, published);
    const double central = aligned_central_sigma(ring, 100, 0.5, 1e-6, published);
    EXPECT_NEAR(central_epsilon({central, 0.5, 100}, 1e-6, published), epsilon, 1e-9 * epsilon);
    EXPECT_NEAR(central, 1.5 * 0.5 * std::sqrt(100.0 / (published ? 8 : 1)), 1e-12);
    RandomGossip gossip{1, 2, 300, 1000, 0.01, 2};
    gossip.sigma = aligned_gossip_sigma(ring, gossip, 1e-6, published);
    EXPECT_NEAR(random_gossip_epsilon(gossip, 1e-6, published), epsilon, 1e-9 * epsilon);
  }
}

TEST(TopologyAccounting, StatementsNameTheirTerms) {
  const PrivacyStatement ring = skip_ring_statement({1, 1, 1000, 1000, 0.1}, 1e-6, 1e-6, false);
  EXPECT_DOUBLE_EQ(ring.delta, 2e-6);
  EXPECT_EQ(ring.unit, "one node's whole data");
  EXPECT_EQ(ring.assumptions.size(), 4U);
  EXPECT_TRUE(central_statement({1, 1, 10}, 1e-6, true).is_private());
  EXPECT_NE(random_gossip_statement({1, 1, 10, 20, 0.1, 2}, 1e-6, true).definition.find("not a guarantee"),
            std::string::npos);
}

TEST(TopologyAccounting, NonsenseIsRefused) {
  EXPECT_THROW(skip_ring_epsilon({0, 1, 10, 10, 0}, 1e-6, 1e-6, false), Error);
  EXPECT_THROW(skip_ring_epsilon({1, 1, 10, 0, 0}, 1e-6, 1e-6, false), Error);
  EXPECT_THROW(skip_ring_epsilon({1, 1, 10, 10, 1}, 1e-6, 1e-6, false), Error);
  EXPECT_THROW(skip_ring_epsilon({1, 1, 10, 10, 0}, 0, 1e-6, false), Error);
  EXPECT_THROW(skip_ring_epsilon({1, 1, 10, 10, 0}, 1e-6, 1, false), Error);
  EXPECT_THROW(central_epsilon({1, -1, 10}, 1e-6, false), Error);
  EXPECT_THROW(random_gossip_epsilon({1, 1, 10, 1, 0.1, 2}, 1e-6, false), Error);
  EXPECT_THROW(random_gossip_epsilon({1, 1, 10, 10, 1.1, 2}, 1e-6, false), Error);
  EXPECT_THROW(random_gossip_epsilon({1, 1, 10, 10, 0.1, 0}, 1e-6, false), Error);
  EXPECT_THROW(aligned_central_sigma({1, 1, 10, 10, 0}, 0, 1, 1e-6, false), Error);
  EXPECT_THROW(aligned_gossip_sigma({1, 1, 10, 10, 0}, {1, 1, 0, 10, 0.1, 2}, 1e-6, false), Error);
}

}  // namespace
}  // namespace earshot
