#include "earshot/attack/leak/muffliato_leak.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/attack/leak/step_leak_oracle.hpp"
#include "earshot/protocol/decentralised.hpp"

namespace earshot {
namespace {

using ::testing::HasSubstr;
using testing::OverheardSteps;
using testing::SmallTask;

constexpr std::size_t kNodes = 6;
constexpr double kRounding = 1e-10;  // differences of numbers near 1, over a rate of 0.1

Graph ring_of_six() {
  std::vector<Edge> edges;
  for (NodeId i = 0; i < kNodes; ++i) edges.emplace_back(i, (i + 1) % kNodes);
  return Graph(kNodes, edges);
}

TEST(MuffliatoLeak, StepsOnAFixedGraphAreWhatTheNodesReleased) {
  const SmallTask small(kNodes);
  const Protection noise = testing::clipped_noise(0.5);
  const GossipMatrix weights = metropolis_weights(ring_of_six());
  PublicKnowledge told;
  told.gossip_matrix = &weights;
  const OverheardSteps run(small, "muffliato", {{"rounds", 4}, {"batch", 2}}, noise,
                           testing::taps_on_all(small), 4, told);
  const auto leaks = muffliato_leaks(run.view(), small.start.size(), {{1, 2, 4}});
  ASSERT_EQ(leaks.size(), 3 * kNodes);
  for (const Leak& leak : leaks) testing::expect_released(small, leak, leak.round - 1, noise, kRounding, 2);
  EXPECT_EQ(muffliato_leaks(run.view(), small.start.size(), {}).size(), kNodes);
  EXPECT_EQ(muffliato_leaks(run.view(), small.start.size(), {{3}, 2}).size(), 2U);
}

/// A first run tells the graphs, which are addressed by seed, trial and round.
TEST(MuffliatoLeak, StepsOnGraphsThatChangeNeedTheGraphs) {
  const SmallTask small(kNodes);
  const Protection noise = testing::clipped_noise(0.5);
  const Json given = {{"rounds", 3}, {"edge_probability", 0.5}};
  OverheardSteps first(small, "muffliato_random", given, noise, testing::taps_on_all(small), 1);
  const auto& training = dynamic_cast<const DecentralisedTraining&>(first.protocol());
  PublicKnowledge told;
  for (Round round = 1; round <= 3; ++round) {
    Json links = Json::array();
    for (const auto& [a, b] : training.mixing().matrix(round - 1).graph().edges()) links.push_back({a, b});
    told.protocol["graphs"].push_back({{"round", round}, {"links", links}});
  }
  const OverheardSteps run(small, "muffliato_random", given, noise, testing::taps_on_all(small), 3, told);
  const auto leaks = muffliato_leaks(run.view(), small.start.size(), {{2, 3}});
  ASSERT_GE(leaks.size(), 2 * kNodes - 4);  // a node without neighbours says nothing
  for (const Leak& leak : leaks) testing::expect_released(small, leak, leak.round - 1, noise, kRounding);
  const OverheardSteps untold(small, "muffliato_random", given, noise, testing::taps_on_all(small), 3);
  try {
    muffliato_leaks(untold.view(), small.start.size(), {{3}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("does not tell \"graphs\""));
  }
}

TEST(MuffliatoLeak, AllNeighboursTogetherSeeTheOneBetweenThem) {
  const SmallTask small(kNodes);
  const Protection noise = testing::clipped_noise(0.5);
  const GossipMatrix weights = metropolis_weights(ring_of_six());
  PublicKnowledge told;
  told.gossip_matrix = &weights;
  const OverheardSteps run(small, "muffliato", {{"rounds", 3}}, noise, {{1, 3}, {}, {}}, 3, told);
  const auto leaks = muffliato_leaks(run.view(), small.start.size(), {{3}});
  ASSERT_EQ(leaks.size(), 1U);
  EXPECT_EQ(leaks[0].victim, 2U);
  testing::expect_released(small, leaks[0], 2, noise, kRounding);
}

TEST(MuffliatoLeak, WhoeverIsLateShowsNothing) {
  const SmallTask small(kNodes);
  const GossipMatrix weights = metropolis_weights(ring_of_six());
  PublicKnowledge told;
  told.gossip_matrix = &weights;
  OverheardSteps run(small, "muffliato",
                     {{"rounds", 5}, {"latency", "exponential"}, {"skip_probability", 0.5}},
                     testing::clipped_noise(0.1), testing::taps_on_all(small), 5, told);
  std::uint64_t steps = 0;
  for (const Learner* learner : run.protocol().learners()) steps += learner->steps();
  EXPECT_LT(steps, 5 * kNodes);
  EXPECT_EQ(muffliato_leaks(run.view(), small.start.size(), {{1, 2, 3, 4, 5}}).size(), steps);
}

TEST(MuffliatoLeak, SaysWhatItCannotRead) {
  const SmallTask small(kNodes);
  const GossipMatrix weights = metropolis_weights(ring_of_six());
  PublicKnowledge told;
  told.gossip_matrix = &weights;
  const OverheardSteps run(small, "muffliato", {{"rounds", 2}, {"local_steps", 2}}, no_protection(),
                           testing::taps_on_all(small), 2, told);
  EXPECT_THROW(muffliato_leaks(run.view(), small.start.size(), {}), Error);
}

TEST(Leaks, KnowsWhatARoundNeedsOfTheTranscript) {
  const auto window = [](Json facts, std::uint64_t round) {
    PublicKnowledge told;
    told.protocol = std::move(facts);
    const RoundWindow needed = window_of_round(told, round);
    return std::pair(needed.first, needed.end);
  };
  const Json gossip = {{"kind", "muffliato"}, {"gossip_steps", 2}};
  EXPECT_EQ(window(gossip, 1), std::pair(0U, 1U));
  EXPECT_EQ(window(gossip, 3), std::pair(3U, 5U));
  const Json ring = {{"kind", "skip_ring"}, {"visits_per_round", 7}};
  EXPECT_EQ(window(ring, 1), std::pair(0U, 7U));
  EXPECT_EQ(window(ring, 3), std::pair(13U, 21U));
  EXPECT_EQ(window({{"kind", "fedsgd"}, {"sends", "gradients"}}, 3), std::pair(4U, 6U));
  EXPECT_EQ(window({{"kind", "fedsgd"}, {"sends", "differences of gradients"}}, 3), std::pair(0U, 6U));
}

TEST(Leaks, ReadsSingleStepsByTheRoundsOfTheRecipe) {
  const SmallTask small(kNodes);
  const OverheardSteps run(small, "skip_ring", {{"rounds", 3}}, no_protection(), testing::taps_on_all(small),
                           3);
  const Settings recipe(Json{{"rounds", "1, last"}, {"victims", 2}});
  const auto leaks = find_leaks(run.view(), small.start.size(), recipe);
  ASSERT_EQ(leaks.size(), 4U);
  EXPECT_EQ(leaks[0].round, 1U);
  EXPECT_EQ(leaks[1].round, 3U);
  EXPECT_EQ(leak_source("muffliato_random"), LeakSource::kMuffliato);
  EXPECT_EQ(leak_source("skip_ring"), LeakSource::kRing);
}

}  // namespace
}  // namespace earshot
