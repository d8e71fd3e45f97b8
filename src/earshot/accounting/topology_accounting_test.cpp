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
    EXPECT_EQ(skip_ring_participations(ring, 1e-6), r.participations);
    EXPECT_NEAR(skip_ring_epsilon(ring, 1e-6, 1e-6, true), r.epsilon, 1e-6 * r.epsilon);
    const double exact = skip_ring_epsilon(ring, 1e-6, 1e-6, false);
    EXPECT_LT(exact, r.epsilon);
    EXPECT_GT(exact, 0.7 * r.epsilon);
  }
}

/// The theorem as printed, term by term, against the form it simplifies to.
TEST(SkipRing, PrintedFormOfTheTheoremIsConcentratedComposition) {
  const SkipRing ring{2, 1, 20000, 1000, 0.3};
  const double delta = 1e-5;
  const auto count = static_cast<double>(skip_ring_participations(ring, 1e-6));
  const double one_step = std::sqrt(8 * std::log(1.25 / delta)) / ring.sigma;
  const double printed =
      one_step * std::sqrt(count * std::log(1 / delta)) / std::sqrt(std::log(1.25 / delta)) +
      one_step * one_step * count / (4 * std::log(1.25 / delta));
  EXPECT_NEAR(skip_ring_epsilon(ring, delta, 1e-6, true), printed, 1e-9 * printed);
}

TEST(SkipRing, ParticipationsAreExceededAsRarelyAsStated) {
  // Exact binomial tail of one node's visits: 200 turns, each taken with probability 0.3.
  const SkipRing ring{1, 1, 200 * 7, 7, 0.7};
  const double delta_visits = 1e-3;
  const auto bound = skip_ring_participations(ring, delta_visits);
  double tail = 0;
  for (int k = static_cast<int>(bound) + 1; k <= 200; ++k) {
    tail += std::exp(std::lgamma(201) - std::lgamma(k + 1) - std::lgamma(201 - k) + k * std::log(0.3) +
                     (200 - k) * std::log(0.7));
  }
  EXPECT_LE(tail, delta_visits);
}

TEST(NoiseAlignment, GivesCentralTrainingTheRingsEpsilon) {
  for (const bool published : {false, true}) {
    const SkipRing ring{1, 1, 1000, 1000, 1e-4};
    const double sigma = aligned_central_sigma(ring, 100, 1, 1e-6, 1e-6, published);
    EXPECT_NEAR(central_epsilon({sigma, 1, 100}, 1e-6, published),
                skip_ring_epsilon(ring, 1e-6, 1e-6, published),
                1e-4 * skip_ring_epsilon(ring, 1e-6, 1e-6, published));
    EXPECT_NEAR(sigma, std::sqrt(100.0 / 8), 1e-3);  // eight releases against a hundred
  }
}

TEST(TopologyAccounting, StatementsNameTheirTerms) {
  const PrivacyStatement ring = skip_ring_statement({1, 1, 1000, 1000, 0.1}, 1e-6, 1e-6, false);
  EXPECT_DOUBLE_EQ(ring.delta, 2e-6);
  EXPECT_EQ(ring.unit, "one node's whole data");
  EXPECT_EQ(ring.assumptions.size(), 4U);
  EXPECT_TRUE(central_statement({1, 1, 10}, 1e-6, true).is_private());
}

TEST(TopologyAccounting, NonsenseIsRefused) {
  EXPECT_THROW(skip_ring_epsilon({0, 1, 10, 10, 0}, 1e-6, 1e-6, false), Error);
  EXPECT_THROW(skip_ring_epsilon({1, 1, 10, 0, 0}, 1e-6, 1e-6, false), Error);
  EXPECT_THROW(skip_ring_epsilon({1, 1, 10, 10, 1}, 1e-6, 1e-6, false), Error);
  EXPECT_THROW(skip_ring_epsilon({1, 1, 10, 10, 0}, 0, 1e-6, false), Error);
  EXPECT_THROW(skip_ring_epsilon({1, 1, 10, 10, 0}, 1e-6, 1, false), Error);
  EXPECT_THROW(central_epsilon({1, -1, 10}, 1e-6, false), Error);
}

}  // namespace
}  // namespace earshot
