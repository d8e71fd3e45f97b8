#include "earshot/protocol/noise_alignment.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/protocol/skip_ring.hpp"
#include "earshot/protocol/test_setting.hpp"

namespace earshot {
namespace {

AlignmentOptions example() {
  AlignmentOptions options;
  options.sigma = 2;
  options.nodes = 50;
  options.latency = {LatencyLaw::kExponential, 1, 1e-2};
  options.checkpoint = 2000;
  options.edge_probability = std::log(50.0) / 50;
  return options;
}

TEST(NoiseAlignment, EpsilonsAreEqualAtTheCheckpoint) {
  for (const bool published : {false, true}) {
    AlignmentOptions options = example();
    options.as_published = published;
    const NoiseAlignment aligned = align_noise(options);
    const double tolerance = 1e-9 * aligned.epsilon;
    EXPECT_NEAR(central_epsilon({aligned.server_sigma, 1, aligned.server_rounds}, 1e-6, published),
                aligned.epsilon, tolerance);
    EXPECT_NEAR(random_gossip_epsilon(
                    {aligned.gossip_sigma, 1, aligned.gossip_rounds, 50, options.edge_probability, 2}, 1e-6,
                    published),
                aligned.epsilon, tolerance);
  }
}

/// A visit takes 1 + 1 - p, a joint round 2 + E[max], which is H_50 = 4.499 less what the time-out cuts off
/// (below 0.25); 6 deviations of a sum of 1000 (false alarm below 1e-8).
TEST(NoiseAlignment, CountsWhatFitsIntoTheTime) {
  const NoiseAlignment aligned = align_noise(example());
  EXPECT_NEAR(static_cast<double>(aligned.visits), 2000 / 1.99, 6 * 1.0 * std::sqrt(1005.0) / 1.99);
  EXPECT_GT(aligned.server_rounds, 290U);
  EXPECT_LT(aligned.server_rounds, 340U);
  EXPECT_EQ(aligned.server_rounds, aligned.gossip_rounds);  // two messages each
  AlignmentOptions one_by_one = example();
  one_by_one.server_messages = 100;
  EXPECT_EQ(align_noise(one_by_one).server_rounds, 19U);
}

/// The visits counted are those a run with the same seed has made when its clock passes the time.
TEST(NoiseAlignment, AgreesWithTheClockOfARun) {
  const testing::SmallTask small(5);
  const LatencyOptions latency{LatencyLaw::kExponential, 0.5, 0.1};
  const auto protocol =
      skip_ring_component().make(testing::settings_of(skip_ring_component(), {{"rounds", 1000},
                                                                              {"visits_per_round", 1},
                                                                              {"latency", "exponential"},
                                                                              {"communication", 0.5},
                                                                              {"skip_probability", 0.1}}),
                                 small.parts());
  LocalNetwork network(protocol->topology(), protocol->participants());
  std::uint64_t visits = 0;
  for (;; ++visits) {
    network.run(1);
    if (*protocol->elapsed() > 60) break;
  }
  EXPECT_EQ(visits_by(LatencyClock(latency, 1, 0), 5, 60), visits);
}

TEST(NoiseAlignment, NonsenseIsRefused) {
  AlignmentOptions options = example();
  options.checkpoint = 1;
  EXPECT_THROW(align_noise(options), Error);
  options = example();
  options.checkpoint = INFINITY;
  EXPECT_THROW(align_noise(options), Error);
  options = example();
  options.latency = {LatencyLaw::kNone, 0, 0};
  EXPECT_THROW(align_noise(options), Error);
  options = example();
  options.nodes = 1;
  EXPECT_THROW(align_noise(options), Error);
}

}  // namespace
}  // namespace earshot
