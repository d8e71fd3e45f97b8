#include "earshot/attack/leak/ring_leak.hpp"

#include <cmath>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/attack/leak/step_leak_oracle.hpp"

namespace earshot {
namespace {

using ::testing::HasSubstr;
using testing::OverheardSteps;
using testing::SmallTask;

constexpr std::size_t kNodes = 5;
constexpr double kRounding = 1e-9;  // differences of numbers near 1, over a step of 0.01 or more

TEST(RingLeak, StepsAreWhatTheNodesReleased) {
  const SmallTask small(kNodes);
  const Protection noise = testing::clipped_noise(0.5);
  const OverheardSteps run(small, "skip_ring", {{"rounds", 3}, {"learning_rate", 0.1}, {"batch", 2}}, noise,
                           testing::taps_on_all(small), 3);
  const auto leaks = ring_leaks(run.view(), small.start.size(), {{1, 2, 3}});
  ASSERT_EQ(leaks.size(), 3 * kNodes);
  std::set<std::pair<NodeId, std::uint64_t>> seen;
  for (const Leak& leak : leaks) {
    EXPECT_EQ(leak.observation.records, 2U);
    EXPECT_THAT(leak.what, HasSubstr("the gradient"));
    testing::expect_released(small, leak, leak.round - 1, noise, kRounding, 2);
    seen.emplace(leak.victim, leak.round);
  }
  EXPECT_EQ(seen.size(), leaks.size());
}

TEST(RingLeak, TheFirstStepOfEveryNodeUnlessRoundsAreAskedFor) {
  const SmallTask small(kNodes);
  const OverheardSteps run(small, "skip_ring", {{"rounds", 2}}, no_protection(), testing::taps_on_all(small),
                           2);
  const auto first = ring_leaks(run.view(), small.start.size(), {});
  ASSERT_EQ(first.size(), kNodes);
  for (NodeId node = 0; node < kNodes; ++node) {
    EXPECT_EQ(first[node].victim, node);
    EXPECT_EQ(first[node].round, 1U);
  }
  const auto few = ring_leaks(run.view(), small.start.size(), {{2}, 3});
  ASSERT_EQ(few.size(), 3U);
  for (const Leak& leak : few) EXPECT_EQ(leak.round, 2U);
}

TEST(RingLeak, TwoNeighboursSeeTheOneBetweenThem) {
  const SmallTask small(kNodes);
  const Protection noise = testing::clipped_noise(0.5);
  const OverheardSteps run(small, "skip_ring", {{"rounds", 2}}, noise, {{1, 3}, {}, {}}, 2);
  const auto leaks = ring_leaks(run.view(), small.start.size(), {{2}});
  ASSERT_EQ(leaks.size(), 1U);
  EXPECT_EQ(leaks[0].victim, 2U);
  testing::expect_released(small, leaks[0], 1, noise, kRounding);
}

TEST(RingLeak, WhoeverIsSkippedShowsNothing) {
  const SmallTask small(kNodes);
  OverheardSteps run(small, "skip_ring",
                     {{"rounds", 6}, {"latency", "exponential"}, {"skip_probability", 0.5}},
                     testing::clipped_noise(0.1), testing::taps_on_all(small), 6);
  std::uint64_t steps = 0;
  for (const Learner* learner : run.protocol().learners()) steps += learner->steps();
  EXPECT_LT(steps, 6 * kNodes);
  EXPECT_GT(steps, 0U);
  EXPECT_EQ(ring_leaks(run.view(), small.start.size(), {{1, 2, 3, 4, 5, 6}}).size(), steps);
}

TEST(RingLeak, ABallHidesThePartAlongTheModelOnly) {
  const SmallTask small(kNodes);
  const Protection noise = testing::clipped_noise(0.5);
  const OverheardSteps run(small, "skip_ring", {{"rounds", 2}, {"learning_rate", 0.01}, {"diameter", 0.1}},
                           noise, testing::taps_on_all(small), 2);
  const auto leaks = ring_leaks(run.view(), small.start.size(), {{2}});
  ASSERT_EQ(leaks.size(), kNodes);
  for (const Leak& leak : leaks) {
    EXPECT_THAT(leak.what, HasSubstr("put back"));
    const auto& before = leak.observation.terms.front().parameters;
    const auto truth = testing::released(small, leak.victim, 1, before, noise);
    // before - step x truth = s x after with one factor s: what is left of the error lies along `after`.
    const double step = 0.01 / std::sqrt(kNodes + 1.0 + leak.victim);
    double along = 0, size = 0, error = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) {
      const double after = before[i] - step * leak.observation.values[i];
      const double off = truth[i] - leak.observation.values[i];
      along += off * after;
      size += after * after;
      error += off * off;
    }
    EXPECT_GT(error, 1e-6);
    EXPECT_NEAR(along * along / size, error, 1e-9 * error);
  }
}

}  // namespace
}  // namespace earshot
